import {
  defineTool,
  type Agents,
  type Memory,
  type MemoryEntry,
  type Sources,
  type Tool,
  type Values,
} from "@gantry/sdk";
import { Type } from "typebox";
import { memoryOf, noteMemory } from "../shared/agent-memory.ts";
import { errors } from "./errors.ts";
import type { Retention } from "./retention.ts";

/** Who asks for a memory. */
interface Asking {
  readonly user: string;
  readonly agent?: string | undefined;
}

interface Remembering {
  readonly memory: Memory;
  readonly retention: Retention;
  readonly agents: Agents | undefined;
  readonly values: Values;
}

export function memoryTools({ memory, retention, agents, values }: Remembering): readonly Tool[] {
  const ownAgent = ({ agent }: Asking): string | undefined =>
    agents?.list().find(({ name, memory: kind }) => name === agent && kind !== "shared")?.name;
  const whose = (asking: Asking): string => {
    const agent = ownAgent(asking);
    return agent === undefined ? asking.user : memoryOf(asking.user, agent);
  };
  return [
    defineTool({
      name: "memory_store",
      description:
        "Remembers a fact about this user or their work for later conversations. One fact at a time, in a full sentence.",
      input: Type.Object(
        { text: Type.String({ minLength: 1, maxLength: 10_000, description: "The fact." }) },
        { additionalProperties: false },
      ),
      async run({ args, sources, ...asking }) {
        await retention.checkRoom();
        const agent = ownAgent(asking);
        if (agent !== undefined) await noteMemory(values, asking.user, agent);
        const isFromNowhere = sources.material.length === 0 && sources.private.length === 0;
        const { id } = await memory.remember(whose(asking), args.text, isFromNowhere ? undefined : sources);
        await retention.prune();
        return `Remembered as ${id}.`;
      },
    }),
    defineTool({
      name: "memory_recall",
      description: "Finds what was remembered about this user in earlier conversations, best match first.",
      input: Type.Object(
        {
          query: Type.String({
            maxLength: 2000,
            description: "Words that the memory may hold. Empty: the newest memories.",
          }),
          limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 50, description: "How many at most; 5 if left out." }),
          ),
        },
        { additionalProperties: false },
      ),
      parallel: true,
      effects: async ({ query, limit = 5 }, asking) => ({
        brings: allOf(await memory.recall(whose(asking), query, limit)),
      }),
      async run({ args: { query, limit = 5 }, effects, ...asking }) {
        // What was stored only since may hold material that no guard has been told of.
        const told = new Set(effects.brings?.material);
        const found = (await memory.recall(whose(asking), query, limit)).filter(
          ({ sources }) => sources?.material.every((name) => told.has(name)) ?? true,
        );
        if (found.length === 0) return "Nothing that was remembered fits.";
        return found.map(({ id, created, text }) => `[${id}] ${created.slice(0, 10)}: ${text}`).join("\n");
      },
    }),
    defineTool({
      name: "memory_forget",
      description: "Forgets one memory of this user for good.",
      input: Type.Object(
        {
          id: Type.String({
            minLength: 1,
            maxLength: 100,
            description: "The id that memory_recall shows in brackets.",
          }),
        },
        { additionalProperties: false },
      ),
      async run({ args, ...asking }) {
        if (!(await memory.forget(whose(asking), args.id))) throw errors.MEMORY_UNKNOWN(args.id);
        return `Forgot ${args.id}.`;
      },
    }),
  ];
}

/** What whoever reads these memories takes in. */
function allOf(found: readonly MemoryEntry[]): Sources {
  const held = found.flatMap(({ sources }) => sources ?? []);
  return {
    material: [...new Set(held.flatMap(({ material }) => material))],
    private: [...new Set(["memory", ...held.flatMap((sources) => sources.private)])],
  };
}
