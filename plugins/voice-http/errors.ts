import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  VOICE_URL: usage("`voice.%s` is not a whole http:// or https:// address (%s): correct it."),
  VOICE_NO_URL: usage("`voice.%s` is not set, so %s: set it to the address of a server that can."),
  VOICE_FAILED: failed("The voice server %s did not do its work (%s): check its address, key and model."),
  VOICE_NO_WORDS: failed("The voice server %s heard no words in the voice message: say it again, or write."),
  VOICE_NO_AUDIO: failed("The voice server %s sent %s in place of audio: check the key voice.speak_url."),
});
