import { stripVTControlCharacters } from "node:util";
import type { Command, CommandContext, Memory, MemoryEntry, Values } from "@gantry/sdk";
import { userOfTerminal } from "@gantry/sdk/node";
import { memoryOf, rememberers } from "../shared/agent-memory.ts";
import { errors } from "./errors.ts";
import type { Retention } from "./retention.ts";

const json = { flags: "--json", summary: "print JSON" };
const user = { flags: "--user <channel:id>", summary: "of this person; default: who sits at this terminal" };
const agent = { flags: "--agent <name>", summary: "what this agent alone remembers of them" };
const options = [user, agent, json];
const EVERY = 1_000_000;
/** As the tool that stores them has it. */
const LONGEST = 10_000;

/** Returns the words with which a person sees and corrects the memories of somebody. */
export function memoryCommands(memory: Memory, retention: Retention, values: Values): readonly Command[] {
  const find = async (run: CommandContext): Promise<MemoryEntry> => {
    const [id = ""] = run.args;
    const found = (await allOf(run, memory)).find((entry) => entry.id === id);
    if (!found) throw errors.MEMORY_UNLISTED(id, personOf(run));
    return found;
  };
  return [
    {
      name: "memory list",
      summary: "what is remembered of a person, the newest first",
      options,
      async run(run) {
        const found = await allOf(run, memory);
        if (run.options["json"]) run.out(JSON.stringify({ memories: found }));
        else if (found.length === 0) run.err(`Nothing is remembered of ${personOf(run)}.`);
        else for (const entry of found) run.out(lineOf(entry));
        return 0;
      },
    },
    {
      name: "memory show",
      summary: "one memory, whole",
      args: ["<id>"],
      options,
      async run(run) {
        const found = await find(run);
        run.out(run.options["json"] ? JSON.stringify(found) : safe(found.text));
        return 0;
      },
    },
    {
      name: "memory edit",
      summary: "put another text in place of a memory; it gets a new id",
      args: ["<id>", "<text>"],
      options,
      async run(run) {
        const { id } = await find(run);
        const text = run.args[1] ?? "";
        if (text.trim() === "" || text.length > LONGEST) throw errors.MEMORY_TEXT(text.trim().length);
        // First the new one: what fails between the two leaves both, never neither.
        const edited = await memory.remember(personOf(run), text);
        await memory.forget(personOf(run), id);
        await retention.prune();
        if (run.options["json"]) run.out(JSON.stringify({ ...edited, replaces: id }));
        else run.err(`Remembered as ${edited.id} in place of ${id}.`);
        return 0;
      },
    },
    {
      name: "memory forget",
      summary: "forget a memory for good; `gantry sessions remove --user` removes a person with everything",
      args: ["<id>"],
      options,
      async run(run) {
        const { id } = await find(run);
        await memory.forget(personOf(run), id);
        if (run.options["json"]) run.out(JSON.stringify({ forgotten: id }));
        else run.err(`Forgot ${id}.`);
        return 0;
      },
    },
    {
      name: "memory prune",
      summary:
        "delete the memories of all people that are too old or too many, also after the clock was ahead",
      options: [{ flags: "--yes", summary: "delete them" }, json],
      async run(run) {
        if (run.options["yes"] !== true) throw errors.MEMORY_PRUNE();
        const deleted = await retention.pruneNow();
        if (run.options["json"]) run.out(JSON.stringify({ deleted }));
        else run.err(deleted === 1 ? "Deleted 1 memory." : `Deleted ${deleted} memories.`);
        return 0;
      },
    },
    {
      name: "memory export",
      summary: "everything that is remembered of a person, as JSON",
      options,
      async run(run) {
        const person = personOf(run);
        const agents: Record<string, readonly MemoryEntry[]> = {};
        for (const name of await rememberers(values, person))
          agents[name] = await memory.recall(memoryOf(person, name), "", EVERY);
        const rest = Object.keys(agents).length > 0 && { agents };
        run.out(JSON.stringify({ user: person, memories: await allOf(run, memory), ...rest }, null, 2));
        return 0;
      },
    },
  ];
}

const allOf = (run: CommandContext, memory: Memory): Promise<readonly MemoryEntry[]> =>
  memory.recall(personOf(run), "", EVERY);

function personOf({ options: { user: written, agent } }: CommandContext): string {
  const person = written === undefined ? userOfTerminal() : String(written);
  if (!/^[^\s:]+:\S+$/.test(person)) throw errors.MEMORY_USER(person);
  return agent === undefined ? person : memoryOf(person, String(agent));
}

function lineOf({ id, created, text }: MemoryEntry): string {
  return `${id}  ${created.slice(0, 10)}  ${safe(text).replace(/\s+/g, " ")}`;
}

/** A memory may come from anywhere, and must not steer a terminal. */
function safe(text: string): string {
  return stripVTControlCharacters(text).replace(/(?![\n\t])\p{C}/gu, "");
}
