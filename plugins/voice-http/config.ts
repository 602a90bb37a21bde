import { Type } from "typebox";

const base = (path: string): string =>
  `Base address of the server that has ${path}, such as http://127.0.0.1:8000/v1.`;

export const config = Type.Object({
  transcribe_url: Type.Optional(Type.String({ description: base("audio/transcriptions") })),
  transcribe_model: Type.String({
    default: "whisper-1",
    minLength: 1,
    description: "The model that turns voice messages into words.",
  }),
  transcribe_api_key: Type.Optional(
    Type.String({ minLength: 1, description: "The key of voice.transcribe_url, sent to that server alone." }),
  ),
  speak_url: Type.Optional(Type.String({ description: base("audio/speech") })),
  speak_model: Type.String({
    default: "tts-1",
    minLength: 1,
    description: "The model that speaks answers.",
  }),
  speak_voice: Type.String({
    default: "alloy",
    minLength: 1,
    description: "The voice that speaks answers, by the server's own name for it.",
  }),
  speak_api_key: Type.Optional(
    Type.String({ minLength: 1, description: "The key of voice.speak_url, sent to that server alone." }),
  ),
  reply: Type.Union([Type.Literal("text"), Type.Literal("voice")], {
    default: "text",
    description:
      "Whether an answer of up to 2,000 characters is followed by a voice message that speaks it, in channels that can send one.",
  }),
});
