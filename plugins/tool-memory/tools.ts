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
import { asError } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import { keyForm, MemoryKeys } from "./keys.ts";
import type { Retention } from "./retention.ts";

const newest = "These are the newest memories:";
const every = 1_000_000;

/** The person who asks for a memory. */
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
  const keys = new MemoryKeys(memory, values);
  return [
    defineTool({
      name: "memory_store",
      description:
        "Remembers a fact about this user or their work for later conversations. One fact at a time, in a full sentence.",
      input: Type.Object(
        {
          text: Type.String({ minLength: 1, maxLength: 10_000, description: "The fact." }),
          key: Type.Optional(
            Type.String({
              pattern: keyForm,
              description: "What it is about, if that may change: it replaces what stands under the key.",
              examples: ["office-hours"],
            }),
          ),
        },
        { additionalProperties: false },
      ),
      async run({ args: { key, text }, sources, ...asking }) {
        const replaced =
          key === undefined ? [] : await keys.under(key, await search(memory, whose(asking), "", every));
        if (replaced.length === 0) await retention.checkRoom();
        const agent = ownAgent(asking);
        if (agent !== undefined) await noteMemory(values, asking.user, agent);
        const isFromNowhere = sources.material.length === 0 && sources.private.length === 0;
        const held = isFromNowhere ? undefined : sources;
        const { id } = await keys.remember({ user: whose(asking), key, text, sources: held });
        // First the new one: what fails between the two leaves both, never neither.
        for (const old of replaced) await keys.forget(whose(asking), old);
        await retention.prune();
        const place = replaced.length === 0 ? "" : ` in place of ${replaced.join(", ")}`;
        return `Remembered as ${id}${place}.`;
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
        brings: allOf(await search(memory, whose(asking), query, limit)),
      }),
      async run({ args: { query, limit = 5 }, effects, ...asking }) {
        // A memory that was stored only since may hold material that no guard has been told of.
        const told = new Set(effects.brings?.material);
        const found = (await search(memory, whose(asking), query, limit)).filter(
          ({ sources }) => sources?.material.every((name) => told.has(name)) ?? true,
        );
        const lines = found.map(({ id, created, text }) => `[${id}] ${created.slice(0, 10)}: ${text}`);
        const isSearched = query.trim() === "" || /[\p{L}\p{N}]/u.test(query);
        if (isSearched) return lines.join("\n") || "Nothing that was remembered fits.";
        return [`The query has no letter or digit, so nothing was searched. ${newest}`, ...lines].join("\n");
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
        if (!(await keys.forget(whose(asking), args.id))) throw errors.MEMORY_UNKNOWN(args.id);
        return `Forgot ${args.id}.`;
      },
    }),
  ];
}

/**
 * Searches; throws MEMORY_UNSEARCHED, so that a search that failed does not pass for one that found
 * nothing.
 */
export async function search(
  memory: Memory,
  user: string,
  query: string,
  limit: number,
): Promise<readonly MemoryEntry[]> {
  try {
    return await memory.recall(user, query, limit);
  } catch (error) {
    throw errors.MEMORY_UNSEARCHED(asError(error));
  }
}

/** Returns the sources that the reader of these memories takes in. */
function allOf(found: readonly MemoryEntry[]): Sources {
  const held = found.flatMap(({ sources }) => sources ?? []);
  return {
    material: [...new Set(held.flatMap(({ material }) => material))],
    private: [...new Set(["memory", ...held.flatMap((sources) => sources.private)])],
  };
}
