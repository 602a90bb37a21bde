import type { Speaker } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { VoiceServer } from "./server.ts";

interface Voice {
  readonly model: string;
  readonly voice: string;
  readonly replies: boolean;
}

/** Returns what speaks words by `audio/speech`. Without a server it throws VOICE_NO_URL. */
export function speaker(server: VoiceServer | undefined, { model, voice, replies }: Voice): Speaker {
  return {
    replies,
    maxLength: 2_000,
    async speak(input, signal) {
      if (!server) throw errors.VOICE_NO_URL("speak_url", "answers are not spoken");
      const asked = { model, voice, input, response_format: "opus" };
      const body = new TextEncoder().encode(JSON.stringify(asked));
      const answer = await server.post(body, "application/json", signal);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      // A server that cannot make Ogg sends another form, or words about it.
      if (new TextDecoder("latin1").decode(bytes.subarray(0, 4)) !== "OggS")
        throw errors.VOICE_NO_AUDIO(server.shown, answer.headers.get("content-type") ?? "something");
      return { bytes, mime: "audio/ogg", name: "answer.ogg" };
    },
  };
}
