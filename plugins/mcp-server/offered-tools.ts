import { Type } from "typebox";
import { nearest } from "@gantry/sdk/node";
import type { ToolFacts } from "@gantry/sdk/fill";
import type { Tool } from "@modelcontextprotocol/server";
import { errors } from "./errors.ts";
import type { DoorNeeds } from "./needs.ts";

/** The tool by which a client reads what is remembered, and what runs for it. */
const recall = { name: "recall", runs: "memory_recall" };

export const AskArgs = Type.Object(
  {
    message: Type.String({ minLength: 1, maxLength: 500_000, description: "What you want." }),
    conversation: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9_.:+@-]{1,128}$",
        description: "A name of your own: calls with the same one go on with one conversation.",
      }),
    ),
  },
  { additionalProperties: false },
);

const ask: Tool = {
  name: "ask",
  title: "Ask Gantry",
  description: "Hands a task or question to the agent, which works on it with tools of its own and answers.",
  inputSchema: AskArgs as unknown as Tool["inputSchema"],
};

/** The tools that a client may call. */
export class OfferedTools {
  readonly #needs: Pick<DoorNeeds, "catalog" | "listed" | "log">;
  readonly #told = new Set<string>();

  constructor(needs: Pick<DoorNeeds, "catalog" | "listed" | "log">) {
    this.#needs = needs;
  }

  async list(): Promise<Tool[]> {
    const { catalog, listed } = this.#needs;
    const all = new Map((await catalog.list()).map((facts) => [facts.name, facts]));
    const own = all.get(recall.runs);
    const others = listed.flatMap((name) => {
      const facts = all.get(name);
      if (!facts) this.#warn(name, [...all.keys()]);
      return facts ? [toolOf(facts)] : [];
    });
    return [ask, ...(own ? [{ ...toolOf(own), name: recall.name }] : []), ...others];
  }

  /** Returns the tool of the host that a client means; undefined for what is not offered. */
  runs(name: string): string | undefined {
    if (name === recall.name) return recall.runs;
    return this.#needs.listed.includes(name) ? name : undefined;
  }

  #warn(name: string, known: readonly string[]): void {
    if (this.#told.has(name)) return;
    this.#told.add(name);
    const meant = nearest(name, known);
    const { code, message } = errors.MCP_SERVE_NO_TOOL(name, meant ? ` (did you mean \`${meant}\`?)` : "");
    this.#needs.log.warn({ code }, message);
  }
}

function toolOf({ name, description, input, hints = {} }: ToolFacts): Tool {
  const { readOnly, destructive, idempotent, openWorld } = hints;
  const stated = Object.entries({
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  }).filter(([, value]) => value !== undefined);
  const inputSchema = input as unknown as Tool["inputSchema"];
  const annotations = Object.fromEntries(stated);
  return { name, description, inputSchema, ...(stated.length > 0 && { annotations }) };
}
