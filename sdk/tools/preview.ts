import type { Effects } from "./effects.ts";

/** What a tool is told when it shows a call to a person. */
export interface PreviewContext {
  /** As the guards were shown them. */
  readonly effects: Effects;
  readonly signal: AbortSignal;
}

/** What a person is shown of a call. */
export interface Preview {
  readonly text: string;
  /** The change to a file, as a unified diff. */
  readonly diff?: string;
}
