import type { Preview } from "./preview.ts";
import type { ToolResult } from "./tool-run.ts";

/** What a tool is told when it tries a call before a person is asked. */
export interface TryContext {
  /** Names this call of this message: the same when its turn begins again after a restart. */
  readonly key: string;
  /** How long a person has to decide, in ms. What was tried is thrown away later than that. */
  readonly waitMs: number;
  /** Aborted on cancel and on the tool's time limit. */
  readonly signal: AbortSignal;
}

/** A call that was made where nobody sees yet what it did. Either of its functions is called at most once. */
export interface Tried {
  /** What a person is shown of it, in place of {@link Tool.preview}. */
  readonly preview: Preview;
  /** Makes it real; resolves to what `run` would have, and throws as `run` does. */
  take(): Promise<ToolResult>;
  /** Throws all of it away. */
  drop(): Promise<void>;
}

/** The reason why something was not tried, in words that end a sentence: "Not tried first: %s." */
export interface Untried {
  readonly untried: string;
}
