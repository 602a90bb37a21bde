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
  /** The words, in the language that is spoken; throws where there are none to be had. */
  transcribe(speech: Speech, signal: AbortSignal): Promise<string>;
}
export const Transcriber = one<Transcriber>("transcriber", having("transcribe"));
