import { one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";

/** Speech, as a channel loaded it, or as a {@link Speaker} made it. */
export interface Speech {
  readonly bytes: Uint8Array;
  /** `audio/ogg`. */
  readonly mime: string;
  readonly name?: string;
}

/** Turns speech into words. */
export interface Transcriber {
  /** Returns the words, in the language that is spoken. Throws if there are none to be had. */
  transcribe(speech: Speech, signal: AbortSignal): Promise<string>;
}
export const Transcriber = one<Transcriber>("transcriber", having("transcribe"));

/** Turns words into speech, for a person to hear. */
export interface Speaker {
  /** True if the answers that channels send are to be spoken, too. */
  readonly replies: boolean;
  /** Characters that it speaks at most; a longer answer stays text. */
  readonly maxLength: number;
  /**
   * Returns the words as speech that chat platforms play as a voice message: `audio/ogg` with Opus.
   * Throws coded errors; ends when `signal` is aborted.
   */
  speak(words: string, signal: AbortSignal): Promise<Speech>;
}
export const Speaker = one<Speaker>("speaker", (speaker: Speaker) => {
  if (typeof speaker?.replies !== "boolean") return "does not say whether answers are spoken: `replies`";
  if (!(speaker.maxLength > 0)) return "does not bound what it speaks: `maxLength`";
  return having("speak")(speaker);
});
