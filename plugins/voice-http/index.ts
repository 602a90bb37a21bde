import { definePlugin, Speaker, Transcriber, Upstream } from "@gantry/sdk";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { voiceServer } from "./server.ts";
import { speaker } from "./speaker.ts";
import { transcriber } from "./transcriber.ts";

export default definePlugin({
  name: "voice-http",
  summary:
    "Voice messages become words, and answers speech, by servers of audio/transcriptions and audio/speech.",
  table: "voice",
  config,
  needs: { upstream: Upstream },
  provides: [Speaker, Transcriber],
  errors,
  setup(host) {
    const { upstream } = host.needs;
    const { transcribe_url, transcribe_model, transcribe_api_key, ...spoken } = host.config;
    const { speak_url, speak_model: model, speak_voice: voice, speak_api_key, reply } = spoken;
    const replies = reply === "voice";
    if (replies && speak_url === undefined)
      throw errors.VOICE_NO_URL("speak_url", 'no answer can be spoken as `voice.reply = "voice"` asks for');
    const hears = voiceServer(upstream, {
      key: "transcribe_url",
      path: "audio/transcriptions",
      url: transcribe_url,
      apiKey: transcribe_api_key,
    });
    const speaks = voiceServer(upstream, {
      key: "speak_url",
      path: "audio/speech",
      url: speak_url,
      apiKey: speak_api_key,
    });
    host.provide(Transcriber, transcriber(hears, transcribe_model));
    host.provide(Speaker, speaker(speaks, { model, voice, replies }));
  },
});
