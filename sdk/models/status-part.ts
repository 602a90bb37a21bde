import type { Awaitable } from "../contract/awaitable.ts";
import { having } from "../contract/shape.ts";
import { many } from "../contract/slot.ts";
import type { ModelRef } from "./model-ref.ts";

/** A conversation whose turn has ended. */
export interface StatusScene {
  readonly session: string;
  /** `<channel>:<user_id>` */
  readonly user: string;
  /** The model that answered last. */
  readonly model: ModelRef;
}

/**
 * A few words about a conversation that its person sees beside the answers, such as what it has
 * cost.
 */
export interface StatusPart {
  readonly name: string;
  /** Lower numbers stand first; then by name. Default 100. */
  readonly order?: number;
  /** Returns the words; undefined: nothing to say. What it throws is left out. */
  words(scene: StatusScene): Awaitable<string | undefined>;
}
export const StatusParts = many<StatusPart>("status-parts", having("words"));
