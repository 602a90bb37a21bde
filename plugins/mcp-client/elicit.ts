import type { QuestionForm, ToolRun, WordsWanted } from "@gantry/sdk";
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { cleaned, isPlain } from "./clean-text.ts";

const MAX_QUESTION = 1_800;
const MAX_NAME = 64;
const MAX_ABOUT = 300;
const MAX_CHOICES = 50;

/**
 * The work under way at one server: the run of a call, or something that nobody can be asked in.
 */
export type UnderWay = Partial<Pick<ToolRun<any>, "user" | "session" | "ask" | "log">>;

/**
 * Puts a question of a server to the person whose call is under way there, never to the model. The
 * server does not say which call it asks for: nobody is asked while calls of several people or
 * conversations are.
 */
export async function askPerson(
  server: string,
  params: ElicitRequest["params"],
  running: ReadonlySet<UnderWay>,
): Promise<ElicitResult> {
  const [run, ...others] = running;
  const isOfOne = others.every(({ user, session }) => user === run?.user && session === run?.session);
  if (run?.ask === undefined || !isOfOne) return { action: "cancel" };
  try {
    const { action, ...given } = await run.ask(wordsOf(server, params));
    return { action, ...given } as ElicitResult;
  } catch (error) {
    run.log?.warn({ server }, `A question of the MCP server could not be put: ${(error as Error).message}`);
    return { action: "cancel" };
  }
}

function wordsOf(server: string, params: ElicitRequest["params"]): WordsWanted {
  const text = `The MCP server ${server} asks: ${cleaned(params.message, MAX_QUESTION)}`;
  if (params.mode === "url") return { text, url: params.url };
  return { text, form: formOf(params.requestedSchema) };
}

type Field = Readonly<Record<string, unknown>>;

/** Returns a form as a person is asked it: of what is left open the server's own value counts. */
function formOf(schema: { readonly properties: object; readonly required?: unknown }): QuestionForm {
  const fields = Object.entries(schema.properties) as [string, Field][];
  const names = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const required = names.filter((name) =>
    fields.some(([one, { default: own }]) => one === name && own === undefined),
  );
  const properties = fields.map(([name, field]) => [cleaned(name, MAX_NAME), fieldOf(field)]);
  return {
    type: "object",
    properties: Object.fromEntries(properties) as QuestionForm["properties"],
    required,
  };
}

function fieldOf(field: Field): Field {
  const { type, title, description, enum: values, oneOf, minimum, maximum, minLength, maxLength } = field;
  const given = Array.isArray(oneOf) ? oneOf.map((one) => (one as { const?: unknown }).const) : values;
  const choices = Array.isArray(given) ? checkedChoices(given) : given;
  const about = [title, description]
    .filter((text) => typeof text === "string")
    .map((text) => cleaned(text, MAX_ABOUT));
  const bounds = { minimum, maximum, minLength, maxLength, ...(Array.isArray(choices) && { enum: choices }) };
  const stated = Object.entries({ type, ...bounds }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(stated), ...(about.length > 0 && { description: about.join(": ") }) };
}

/** Throws for choices that no person could be shown as they are. */
function checkedChoices(choices: readonly unknown[]): readonly unknown[] {
  if (choices.length > MAX_CHOICES || !choices.every(isShown)) throw new Error("its choices cannot be shown");
  return choices;
}

function isShown(choice: unknown): boolean {
  const text = String(choice);
  return text.length <= MAX_NAME && !/[\r\n]/.test(text) && isPlain(text);
}
