import { one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";
import type { Speech } from "./transcriber.ts";

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
