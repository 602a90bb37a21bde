import type { Sources } from "../tools/effects.ts";
import type { Trust } from "../security/trust.ts";
import type { Conversation } from "../messages/conversation.ts";
import type { Awaitable } from "../contract/awaitable.ts";
import type { TurnFacts } from "./observer.ts";
import { many } from "../contract/slot.ts";
import { all, having, mayHave } from "../contract/shape.ts";

/**
 * The scene of a prompt: the same for all turns of a session, as long as it has not been compacted.
 */
export interface PromptScene extends TurnFacts {
  readonly trust: Trust;
  readonly conversation: Conversation["kind"];
  /** The resolved workspace. */
  readonly workspace: string;
  /** When what the model sees of the session began, Unix ms. */
  readonly began: number;
}

/** A named part of the system prompt. The host adds its own rules last. */
export interface PromptPart {
  readonly name: string;
  /** Lower numbers stand first; then by name. Default 100. */
  readonly order?: number;
  /** Characters; what is longer is cut, and the cut is said. */
  readonly budget: number;
  /**
   * Returns the same text for the same scene while nothing it speaks of has changed: no clock, no
   * random, no unsorted list. Every change costs the provider's cache of the whole conversation.
   * Undefined: nothing to say.
   */
  text(scene: PromptScene): Awaitable<string | undefined>;
  /**
   * Returns the sources that its text brings into the conversation, such as material from outside,
   * for the guards. Asked before `text`, with the same scene object for one request.
   */
  brings?(scene: PromptScene): Awaitable<Partial<Sources> | undefined>;
  /**
   * Returns what is new with this message, such as another date; it stands before the person's
   * words and is kept with them.
   */
  note?(
    scene: PromptScene & {
      readonly now: number;
      /** When the person spoke before, Unix ms. */
      readonly last: number | undefined;
    },
  ): Awaitable<string | undefined>;
}
export const PromptParts = many<PromptPart>("prompt-parts", (part: PromptPart) => {
  const wrong = all(having("text"), mayHave("brings", "note"))(part);
  return wrong ?? (Number.isFinite(part.budget) && part.budget > 0 ? undefined : "has no budget");
});
