import type { ChatCommand } from "@gantry/sdk";
import type { SessionSummary } from "@gantry/sdk/fill";

const LISTED = 20;

export const conversationCommands: readonly ChatCommand[] = [
  {
    name: "new",
    summary: "begin a new conversation; this one is kept",
    async run({ conversation }) {
      const kept = await conversation.begin();
      const where = kept === undefined ? "" : ` What was before: /resume ${shortOf(kept)}`;
      return `A new conversation begins.${where}`;
    },
  },
  {
    name: "sessions",
    summary: "your earlier conversations",
    async run({ conversation }) {
      const found = await conversation.sessions(LISTED);
      if (found.length === 0) return "There is no earlier conversation.";
      return found.map((session) => line(session, conversation.session)).join("\n");
    },
  },
  {
    name: "resume",
    args: "[id]",
    summary: "go on with an earlier conversation; without an id, with the last one",
    async run({ args, conversation }) {
      const earlier = (await conversation.sessions(LISTED)).filter(({ id }) => id !== conversation.session);
      const wanted = args === "" ? earlier[0]?.id : args;
      if (wanted !== undefined && (await conversation.resume(wanted)))
        return `The conversation ${shortOf(wanted)} goes on.`;
      return `There is no such conversation of yours${args === "" ? "" : `: ${args}`}. /sessions lists them.`;
    },
  },
  {
    name: "compact",
    summary: "sum up what was said, so that more has room",
    run: async ({ conversation }) =>
      (await conversation.compact())
        ? "What was said is summed up; the last turns stay as they are."
        : "There is nothing to sum up yet.",
  },
  {
    name: "rewind",
    args: "[number]",
    summary: "take the last turn out of the conversation, or so many; what tools did stays done",
    async run({ args, conversation }) {
      if (!/^(?:[1-9]\d{0,3})?$/.test(args))
        return `/rewind takes a number of turns, as in /rewind 2: nothing is taken out for ${args}.`;
      let taken = 0;
      while (taken < Number(args || 1) && (await conversation.rewind())) taken += 1;
      if (taken === 0) return "There is no turn to take out.";
      if (taken === 1) return "The last turn is taken out; what tools did in it stays done.";
      return `The last ${taken} turns are taken out; what tools did in them stays done.`;
    },
  },
  {
    name: "stop",
    summary: "end the answer that is being made, and what would go on after it",
    async run(run) {
      const asked = run.commands.map(async (command) => command.stopped?.(run));
      const told = await Promise.allSettled(asked);
      const isEnded = await run.conversation.stop();
      const failed = told.find((one) => one.status === "rejected");
      if (failed) throw failed.reason;
      const said = told.flatMap((one) => (one.status === "fulfilled" ? (one.value ?? []) : []));
      // The turn that was ended says so by itself.
      return said.join("\n") || (isEnded ? "" : "Nothing runs here.");
    },
  },
];

function line({ id, turns, updated }: SessionSummary, present: string): string {
  const what = id === present ? "this one" : `/resume ${shortOf(id)}`;
  return `${what} - ${turns} turn${turns === 1 ? "" : "s"}, ${updated.slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * Returns the characters that tell a conversation that was left apart from others of the same
 * person.
 */
function shortOf(id: string): string {
  return /\.([0-9a-f]{8})$/.exec(id)?.[1] ?? id;
}
