import { Value } from "typebox/value";
import type { GivenWords, WordsAsked } from "@gantry/sdk/fill";
import type { QuestionForm, ToolQuestion } from "@gantry/sdk";
import { printable, wrongValue } from "@gantry/sdk/node";

const maxFields = 20;
const maxText = 2_000;
const kinds: readonly unknown[] = ["string", "number", "integer", "boolean"];

/**
 * Says what is wrong with what a tool asks for, as in "asks a person %s"; undefined if it can be
 * asked.
 */
export function wrongQuestion(wanted: unknown): string | undefined {
  const { text, form, url } = (wanted ?? {}) as Record<string, unknown>;
  if (typeof text !== "string" || text.trim() === "") return "nothing: give a text";
  if (text.length > maxText) return `more than ${maxText} characters`;
  if (url !== undefined && !isAddress(url)) return "to open what is no https:// address";
  return form === undefined || isForm(form) ? undefined : "for a form that is no object of plain fields";
}

/** Returns a question as its person gets it. */
export function shownQuestion(asked: WordsAsked, id: string): ToolQuestion {
  const { text, url, form, session, user, tool, waitMs } = asked;
  return Object.freeze({
    text: printable(text),
    ...(url !== undefined && { url: printable(new URL(url).href) }),
    ...(form && { form: structuredClone(form) }),
    session,
    user,
    tool,
    id,
    expires: new Date(Date.now() + waitMs).toISOString(),
  });
}

/** Reads an answer by the form of its question; throws a sentence that says what does not fit. */
export function readWords(form: QuestionForm | undefined, said: unknown): GivenWords {
  if (!form) {
    if (typeof said === "string") return { text: said };
    throw new Error("It is a text that is asked for.");
  }
  const given = typeof said === "string" ? valuesIn(form, said) : said;
  const wrong = wrongValue(Value.Errors({ ...form, additionalProperties: false }, given));
  if (wrong !== undefined) throw new Error(`The answer does not fit: ${wrong}.`);
  return given as GivenWords;
}

/** Reads the one field, or a line for each field, as people write them. */
function valuesIn({ properties }: QuestionForm, said: string): Readonly<Record<string, unknown>> {
  const fields = Object.keys(properties);
  const [only] = fields;
  if (only !== undefined && fields.length === 1) return { [only]: valueOf(properties, only, said.trim()) };
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = "", value = ""] = /^\s*([^:]+?)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      return [name, valueOf(properties, name, value)];
    }),
  );
}

function valueOf(properties: QuestionForm["properties"], name: string, text: string): unknown {
  const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
  if (type === "boolean")
    return /^(?:yes|y|true)$/i.test(text) || (/^(?:no|n|false)$/i.test(text) ? false : text);
  if (type === "number" || type === "integer")
    return text === "" || Number.isNaN(Number(text)) ? text : Number(text);
  return text;
}

function isForm(form: unknown): form is QuestionForm {
  const { type, properties } = (form ?? {}) as Record<string, unknown>;
  if (type !== "object" || typeof properties !== "object" || properties === null) return false;
  const fields = Object.values(properties) as { type?: unknown; pattern?: unknown }[];
  const isPlain = fields.every((field) => kinds.includes(field?.type) && field.pattern === undefined);
  return isPlain && fields.length > 0 && fields.length <= maxFields;
}

function isAddress(url: unknown): boolean {
  if (typeof url !== "string" || url.length > maxText || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return (
    protocol === "https:" || (protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))
  );
}
