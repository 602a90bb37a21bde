import type { ShellReader } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { readShell, type Reading } from "./reading.ts";

/** The reader for other guards, and the whole reading for this one; the last text is remembered, since each guard asks for it. */
export function createReader(): ShellReader & { whole(script: string): Promise<Reading> } {
  let last: { readonly script: string; readonly reading: Reading } | undefined;
  const whole = async (script: string): Promise<Reading> => {
    if (last?.script !== script) last = { script, reading: readShell(script, await import("unbash")) };
    return last.reading;
  };
  return {
    whole,
    async read(script) {
      const { commands, fed, files, plain, unreadable } = await whole(script);
      for (const why of unreadable) throw errors.COMMAND_UNREADABLE(why);
      return { commands, fed, files, ...(plain && { plain }) };
    },
  };
}
