import { GantryError, type Command, type CommandContext } from "../../index.ts";
import type { ContractCase } from "../contract-case.ts";
import { cases, messageOf, within, wrong } from "../say.ts";

const nothing = async function* (): AsyncGenerator<never> {};

/**
 * Returns the case of a command that owns stdout; what another command does only its author knows.
 */
export function commandCases(command: Command, patienceMs: number): readonly ContractCase[] {
  if (command.ownsStdout !== true) return [];
  const who = `The command ${command.name}`;
  return cases({
    "a command that owns stdout ends with its input, and writes there by out alone": async () => {
      const late = wrong(who, `ran on for ${patienceMs} ms after its input`, "end when the input ends");
      const ended = new AbortController();
      const run: CommandContext = Object.freeze({
        args: [],
        options: {},
        input: { bytes: nothing, lines: nothing },
        interactive: false,
        signal: ended.signal,
        out() {},
        err() {},
        serve: async () => 0,
      });
      const { write } = process.stdout;
      let printed = "";
      process.stdout.write = ((piece: unknown) => ((printed += String(piece)), true)) as typeof write;
      try {
        await within(patienceMs, late, () => command.run(run)).catch((error: unknown) => {
          if (error === late) throw error;
          if (!(error instanceof GantryError))
            throw wrong(who, `threw without a code (${messageOf(error)})`, "throw a coded error");
        });
      } finally {
        process.stdout.write = write;
        ended.abort();
      }
      if (printed !== "")
        throw wrong(
          who,
          `printed ${JSON.stringify(printed.slice(0, 60))} beside its lines`,
          "write there by out() alone, and all else by err() or the log",
        );
    },
  });
}
