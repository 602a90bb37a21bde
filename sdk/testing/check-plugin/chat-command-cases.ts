import { GantryError, type ChatCommand } from "../../index.ts";
import { isCommandPrompt, type ConversationControl } from "../../fill.ts";
import type { ContractCase } from "../contract-case.ts";
import { cases, messageOf, within, wrong } from "../say.ts";
import { kindOf } from "./answered.ts";

/** A conversation in which nothing was said and nothing runs. */
const quiet: ConversationControl = Object.freeze({
  session: "cli:test",
  begin: async () => undefined,
  resume: async () => false,
  sessions: async () => [],
  compact: async () => false,
  rewind: async () => false,
  stop: async () => false,
  model: async () => ({ provider: undefined, model: undefined }),
  useModel: async () => {},
  tools: async () => [],
  questions: async () => [],
  decide: async () => "unknown" as const,
});

/** Returns the duties of every word behind a slash. */
export function chatCommandCases(command: ChatCommand, patienceMs: number): readonly ContractCase[] {
  const who = `The chat command ${command.name}`;
  const cure = "answer the text that the person is told, at once, or { prompt }, or throw a coded error";
  return cases({
    "a chat command answers text, or parts that begin a turn, whatever stands behind it": async () => {
      for (const args of ["", "none such", `"${"x".repeat(5_000)}`]) {
        const run = {
          args,
          user: "cli:test",
          trust: "owner",
          conversation: quiet,
          commands: [command],
        } as const;
        const late = wrong(who, `did not answer in ${patienceMs} ms`, cure);
        const text: unknown = await within(patienceMs, late, async () =>
          command.run(Object.freeze(run)),
        ).catch((error: unknown) => {
          if (error === late) throw error;
          if (error instanceof GantryError) return "";
          throw wrong(who, `threw without a code (${messageOf(error)})`, cure);
        });
        if (typeof text !== "string" && !isCommandPrompt(text))
          throw wrong(who, `answered ${kindOf(text)}`, cure);
      }
    },
  });
}
