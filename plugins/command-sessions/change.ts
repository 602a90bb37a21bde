import { counted, type Audit, type Command, type OwnMemory, type Store } from "@gantry/sdk";
import { eraseMemories } from "../shared/agent-memory.ts";
import { errors } from "./errors.ts";

const json = { flags: "--json", summary: "print JSON" };

export function changeCommands(
  store: () => Store,
  memory: () => OwnMemory | undefined,
  audit: Audit,
): readonly Command[] {
  return [
    {
      name: "sessions share",
      summary: "let somebody else continue a conversation",
      args: ["<id>", "<channel:id>"],
      options: [{ flags: "--take-back", summary: "no more" }],
      async run({ args, options, err }) {
        const [id = "", written = ""] = args;
        const user = userOf(written);
        const { sessions } = store();
        const done = options["takeBack"] ? await sessions.unshare(id, user) : await sessions.share(id, user);
        if (!done && (await sessions.access(id)) === undefined) throw errors.SESSION_UNKNOWN(id);
        err(options["takeBack"] ? `${user} may not continue ${id} any more.` : `${user} may continue ${id}.`);
        return 0;
      },
    },
    {
      name: "sessions remove",
      summary: "remove a conversation, or a person with all that is kept of them",
      args: ["[id]"],
      options: [
        {
          flags: "--user <channel:id>",
          summary:
            "this person's conversations, memories, messages and pictures; the audit stays, and says so",
        },
        json,
      ],
      async run({ args, options, out, err }) {
        const [id] = args;
        const { user } = options;
        const { record, recordRemoval } = await import("./erasure-record.ts");
        if ((id === undefined) === (user === undefined)) throw errors.SESSION_WHICH();
        if (id !== undefined) {
          if ((await store().sessions.access(id)) === undefined) throw errors.SESSION_UNKNOWN(id);
          await recordRemoval(audit, id);
          await store().sessions.remove(id);
          if (options["json"]) out(JSON.stringify({ sessions: 1 }));
          else err(`The conversation ${id} is removed.`);
          return 0;
        }
        const person = userOf(String(user));
        await record(audit, { user: person }, { by: "owner" }, "person is erased");
        // A memory of its own first: it could fail, and then nothing is said to be gone.
        const ofAgents = await eraseMemories(store(), memory(), person);
        const own = ofAgents + ((await memory()?.erase(person)) ?? 0);
        const { sessions, memories: kept, messages } = await store().erase(person);
        const memories = kept + own;
        const there = { by: "owner", sessions, memories, messages };
        await record(audit, { user: person }, there, "person was erased");
        if (options["json"]) out(JSON.stringify({ sessions, memories, messages }));
        else
          err(
            `Removed of ${String(user)}: ${counted(sessions, "conversation")}, ${counted(memories, "memory", "memories")}, ${counted(messages, "message")}.`,
          );
        return 0;
      },
    },
  ];
}

function userOf(written: string): string {
  if (!/^[^\s:]+:\S+$/.test(written)) throw errors.SESSION_USER(written);
  return written;
}
