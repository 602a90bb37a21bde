import type { Decider } from "../turns/approval.ts";
import { one } from "../contract/slot.ts";

/** A field of a form: a text, a number, a yes or no, or one of several texts. */
export interface FormField {
  readonly type: "string" | "number" | "integer" | "boolean";
  readonly description?: string;
  readonly enum?: readonly string[];
}

/** The form of an answer, as a JSON Schema of an object of plain fields, or a `Type.Object`. */
export interface QuestionForm {
  readonly type: "object";
  readonly properties: Readonly<Record<string, FormField>>;
  readonly required?: readonly string[];
}

/** Words that a running tool asks a person for. */
export interface WordsWanted {
  /** Shown redacted, as the tool's words: 2,000 characters at most. */
  readonly text: string;
  /** Without a form any text is an answer. */
  readonly form?: QuestionForm;
  /**
   * An address that the person should open, such as one to log in: `https://`, or `http://` on this
   * machine.
   */
  readonly url?: string;
}

/** Values by the names of the form's fields; `{ text }` if there was no form. */
export type GivenWords = Readonly<Record<string, string | number | boolean>>;

/** `decline`: the person says no. `cancel`: they leave it, or nobody answered in time. */
export type ToolAnswer =
  | { readonly action: "accept"; readonly content: GivenWords }
  | { readonly action: "decline" | "cancel" };

/** A question of a tool, as a person gets it. */
export interface ToolQuestion extends WordsWanted {
  readonly id: string;
  /** The conversation that people see. */
  readonly session: string;
  /** `<channel>:<user_id>`: who alone may answer, and there alone. */
  readonly user: string;
  readonly tool: string;
  /** ISO 8601; after that it is cancelled. */
  readonly expires: string;
}

/** A reply to a question: words, the fields of its form, or a no. */
export type Said = string | Readonly<Record<string, unknown>> | { readonly action: "decline" | "cancel" };

/**
 * The outcome of an answer. `wrong`: it does not fit the form, and the question stays open;
 * `decided`: too late; `unknown`: no such question; `forbidden`: not theirs to answer, or not
 * there.
 */
export type AnswerOutcome =
  | { readonly outcome: "done" | "decided" | "unknown" | "forbidden" }
  | { readonly outcome: "wrong"; readonly reason: string };

/** A question as the host hands it to whoever puts it. */
export interface WordsAsked extends WordsWanted {
  readonly tool: string;
  /** `<channel>:<user_id>` */
  readonly user: string;
  /** The conversation that people see. */
  readonly session: string;
  /** True if the user is a channel's, and so answers in that very conversation alone. */
  readonly isInChannel: boolean;
  /** After so many milliseconds it is cancelled. */
  readonly waitMs: number;
}

/** A message in a chat, which may answer a question there. */
export interface SaidInChat {
  /** Names the message; one that is delivered again has the same name. */
  readonly message: string;
  readonly text: string;
  readonly by: Decider;
  /** Unix s of when it was written. */
  readonly at: number;
  /** True if only words with the id of a question answer it there. */
  readonly needsId: boolean;
}

/** Open questions of tools. Each is answered once and dies with the call that asked it. */
export interface ToolQuestions {
  /** Returns the questions that this person may answer. */
  pending(by: Decider): readonly ToolQuestion[];
  answer(id: string, said: Said, by: Decider): Promise<AnswerOutcome>;
  /**
   * For the host: waits for one answer. `show` shows the question to its person; a throw there and
   * an abort of `signal` cancel it. Throws TOOL_BAD_QUESTION. Without it nobody can be asked.
   */
  ask?(
    asked: WordsAsked,
    show: (question: ToolQuestion) => void,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly answer: ToolAnswer }>;
  /**
   * For the host: takes each message of a channel that guards have let in. An answer goes no
   * further; `reply` tells its writer what is wrong with it. Undefined if the message is not an
   * answer.
   */
  take?(said: SaidInChat): Promise<{ readonly reply?: string } | undefined>;
}
export const ToolQuestions = one<ToolQuestions>("tool-questions");
