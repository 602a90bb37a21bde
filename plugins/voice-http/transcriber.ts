import type { Speech, Transcriber } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { VoiceServer } from "./server.ts";

/** Endings by which servers know the form of a file. */
const endings: Readonly<Record<string, string>> = {
  "audio/ogg": "ogg",
  "audio/opus": "ogg",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/aac": "m4a",
  "audio/x-m4a": "m4a",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/webm": "webm",
  "audio/flac": "flac",
};
const known = /\.(?:flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/i;

/**
 * Returns what turns speech into words by `audio/transcriptions`. Without a server it throws
 * VOICE_NO_URL.
 */
export function transcriber(server: VoiceServer | undefined, model: string): Transcriber {
  return {
    async transcribe(speech, signal) {
      if (!server) throw errors.VOICE_NO_URL("transcribe_url", "voice messages are not put into words");
      const form = new FormData();
      form.set("model", model);
      form.set("response_format", "json");
      const { bytes, mime } = speech;
      form.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mime }), nameOf(speech));
      const multipart = new Response(form);
      const type = multipart.headers.get("content-type") ?? "";
      const answer = await server.post(new Uint8Array(await multipart.arrayBuffer()), type, signal);
      const text = wordsIn(await answer.text());
      if (text === undefined) throw errors.VOICE_FAILED(server.shown, "its answer has no `text`");
      if (text === "") throw errors.VOICE_NO_WORDS(server.shown);
      return text;
    },
  };
}

function nameOf({ name = "", mime }: Speech): string {
  if (known.test(name)) return name;
  return `speech.${endings[mime.split(";")[0]?.trim().toLowerCase() ?? ""] ?? "ogg"}`;
}

function wordsIn(body: string): string | undefined {
  try {
    const { text } = JSON.parse(body) as { readonly text?: unknown };
    return typeof text === "string" ? text.trim() : undefined;
  } catch {
    return undefined;
  }
}
