import type { Decider } from "../turns/approval.ts";
import { one } from "../contract/slot.ts";

/** A field of a form: a text, a number, a yes or no, or one of several texts. */
export interface FormField {
  readonly type: "string" | "number" | "integer" | "boolean";
  readonly description?: string;
  readonly enum?: readonly string[];
}

/** What is asked for, as a JSON Schema of an object of plain fields; a `Type.Object` of TypeBox is one. */
export interface QuestionForm {
  readonly type: "object";
  readonly properties: Readonly<Record<string, FormField>>;
  readonly required?: readonly string[];
}

/** Words that a running tool asks a person for. */
export interface WordsWanted {
  /** Shown as it stands, as the tool's words: 2,000 characters at most. */
  readonly text: string;
  /** Without a form any text is an answer. */
  readonly form?: QuestionForm;
  /** An address that the person should open, such as one to log in: `https://`, or `http://` on this machine. */
  readonly url?: string;
}

/** Values by the names of the form's fields; `{ text }` where there was no form. */
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

/** What somebody says to a question: words, the fields of its form, or a no. */
export type Said = string | Readonly<Record<string, unknown>> | { readonly action: "decline" | "cancel" };

/**
 * What became of an answer. `wrong`: it does not fit the form, and the question stays open; `decided`: too late; `unknown`:
 * no such question; `forbidden`: not theirs to answer, or not there.
 */
export type AnswerOutcome =
  | { readonly outcome: "done" | "decided" | "unknown" | "forbidden" }
  | { readonly outcome: "wrong"; readonly reason: string };

/** Open questions of tools; filled by the host. Each is answered once and dies with the call that asked it. */
export interface ToolQuestions {
  /** Those that this person may answer. */
  pending(by: Decider): readonly ToolQuestion[];
  answer(id: string, said: Said, by: Decider): Promise<AnswerOutcome>;
}
export const ToolQuestions = one<ToolQuestions>("tool-questions");
