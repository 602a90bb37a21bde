import { approvalTextWithin, type ApprovalRequest, type Approvals, type ToolQuestions } from "@gantry/sdk";
import type { Said, ToolQuestion } from "@gantry/sdk";
import type { InputRequest } from "@modelcontextprotocol/server";
import { deciderOf, mayDecide, type Peer } from "./peer.ts";

const maxText = 4_000;
/** After so many answers that do not fit its form, a question is cancelled. */
const maxWrong = 3;

/** The kinds of questions that a client puts to its person. */
export interface Elicits {
  readonly form: boolean;
  readonly url: boolean;
}

/** A question that waits for the client's person. */
export interface OpenQuestion {
  readonly id: string;
  /** Unix ms; after that it is over. */
  readonly expires: number;
  readonly request: InputRequest;
  /** Hands on what the client says. Resolves to false if the question has to be put again. */
  answer(response: unknown): Promise<boolean>;
}

/** Reads which questions a client can put; its form may be left out where it has no other. */
export function elicitsOf(capabilities: unknown): Elicits {
  const { elicitation } = Object(capabilities) as { readonly elicitation?: unknown };
  if (typeof elicitation !== "object" || elicitation === null) return { form: false, url: false };
  const { form, url } = elicitation as { readonly form?: unknown; readonly url?: unknown };
  return { form: form !== undefined || url === undefined, url: url !== undefined };
}

/** Puts questions of calls and tools into the words of the protocol. */
export class Asking {
  readonly #peer: Peer;
  readonly #elicits: Elicits;
  readonly #approvals: Approvals;
  readonly #questions: ToolQuestions | undefined;

  constructor(
    peer: Peer,
    elicits: Elicits,
    slots: { readonly approvals: Approvals; readonly questions: ToolQuestions | undefined },
  ) {
    [this.#peer, this.#elicits] = [peer, elicits];
    [this.#approvals, this.#questions] = [slots.approvals, slots.questions];
  }

  /** Returns undefined if somebody else has to decide: the client cannot ask, or may not decide. */
  approval(asked: ApprovalRequest): OpenQuestion | undefined {
    if (!this.#elicits.form || !mayDecide(this.#peer)) return undefined;
    const words = ["allow", ...(asked.always === undefined ? [] : ["always"]), "deny"];
    const decision = { type: "string", title: "Decision", enum: words };
    const scope = asked.always === undefined ? "" : `\n"always" covers ${asked.always}.`;
    const message = `${approvalTextWithin(asked, (text) => text.length <= maxText)}${scope}`;
    const by = deciderOf(this.#peer);
    return {
      id: asked.id,
      expires: Date.parse(asked.expires),
      request: formRequest(message, { decision }, ["decision"]),
      answer: async (response) => {
        const { decision: said } = acceptedOf(response) ?? {};
        await this.#approvals.decide(asked.id, words.includes(String(said)) ? String(said) : "deny", by);
        return true;
      },
    };
  }

  /** Returns undefined, and cancels the question, if the client cannot put it. */
  words(question: ToolQuestion): OpenQuestion | undefined {
    const { id, text, form, url, expires } = question;
    const isShown = url === undefined ? this.#elicits.form : this.#elicits.url && !form;
    if (!isShown) return void this.#answer(id, undefined);
    // Without a form any text is an answer.
    const said = (response: unknown): unknown => (form ? response : textIn(response));
    let wrong = 0;
    const properties = form?.properties ?? { text: { type: "string" } };
    const required = form ? (form.required ?? []) : ["text"];
    return {
      id,
      expires: Date.parse(expires),
      request:
        url === undefined
          ? formRequest(text, properties, required)
          : { method: "elicitation/create", params: { mode: "url", message: text, url } as never },
      answer: async (response) => {
        if (await this.#answer(id, said(response))) return true;
        wrong += 1;
        return wrong < maxWrong ? false : this.#answer(id, undefined);
      },
    };
  }

  /** Resolves to false if the words do not fit the form. */
  async #answer(id: string, response: unknown): Promise<boolean> {
    const { action } = Object(response) as { readonly action?: unknown };
    const content = acceptedOf(response);
    const no = { action: action === "decline" ? "decline" : "cancel" } as const;
    const said = typeof response === "string" ? response : (content ?? no);
    const done = await this.#questions?.answer(id, said as Said, deciderOf(this.#peer));
    return done?.outcome !== "wrong";
  }
}

function formRequest(
  message: string,
  properties: Readonly<Record<string, object>>,
  required: readonly string[],
): InputRequest {
  const requestedSchema = { type: "object", properties, required };
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } as never };
}

/** Returns the text of a person who said yes, where any text will do; a no as it is. */
function textIn(response: unknown): unknown {
  const given = acceptedOf(response);
  return given ? String(given["text"] ?? "yes") : response;
}

/** Returns what a person gave; undefined for a no, and for what is not an answer. */
function acceptedOf(response: unknown): Readonly<Record<string, unknown>> | undefined {
  const { action, content } = Object(response) as { readonly action?: unknown; readonly content?: unknown };
  if (action !== "accept") return undefined;
  return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : {};
}
