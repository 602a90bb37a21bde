import type { QuestionForm, ToolRun, WordsWanted } from "@gantry/sdk";
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { cleaned } from "./clean-text.ts";

const MAX_QUESTION = 1_800;

/** The runs of calls that are under way at one server. */
export type Running = ReadonlySet<ToolRun<any>>;

/**
 * Puts a question of a server to the person whose call is under way there, never to the model. The server does not say
 * which call it asks for: nobody is asked while calls of several people or conversations are.
 */
export async function askPerson(
  server: string,
  params: ElicitRequest["params"],
  running: Running,
): Promise<ElicitResult> {
  const [run, ...others] = running;
  const isOfOne = others.every(({ user, session }) => user === run?.user && session === run.session);
  if (run?.ask === undefined || !isOfOne) return { action: "cancel" };
  try {
    const { action, ...given } = await run.ask(wordsOf(server, params));
    return { action, ...given } as ElicitResult;
  } catch (error) {
    run.log.warn({ server }, `A question of the MCP server could not be put: ${(error as Error).message}`);
    return { action: "cancel" };
  }
}

function wordsOf(server: string, params: ElicitRequest["params"]): WordsWanted {
  const text = `The MCP server ${server} asks: ${cleaned(params.message, MAX_QUESTION)}`;
  if (params.mode === "url") return { text, url: params.url };
  return { text, form: params.requestedSchema as QuestionForm };
}
