import type { ShellReader, ShellReading } from "@gantry/sdk";
import { doubtOf } from "./decide.ts";
import { errors } from "./errors.ts";
import { readShell, type Reading } from "./reading.ts";
import { plainCommands } from "./syntax/plain.ts";

/** The reader for other guards, and the whole reading for this one. */
interface Reader extends ShellReader {
  whole(script: string): Promise<Reading>;
}

/** Returns a reader that remembers the last text, since each guard asks for it. */
export function createReader(): Reader {
  let last: { script: string; reading: Reading; told?: ShellReading } | undefined;
  const remembered = async (script: string): Promise<NonNullable<typeof last>> => {
    if (last?.script !== script) last = { script, reading: readShell(script, await import("unbash")) };
    return last;
  };
  return {
    whole: async (script) => (await remembered(script)).reading,
    async read(script) {
      const known = await remembered(script);
      const { commands, files, unreadable, tree } = known.reading;
      for (const why of unreadable) throw errors.COMMAND_UNREADABLE(why);
      if (!known.told) {
        const plain = tree && plainCommands(script, tree);
        const contained = plain !== undefined && doubtOf(known.reading) === undefined;
        known.told = { commands, files, ...(plain && { plain }), ...(contained && { contained }) };
      }
      return known.told;
    },
  };
}
