import { readdir } from "node:fs/promises";
import type { Command } from "@gantry/sdk";

/** The answer goes to `out`, everything else to `err`; the number is the exit code: 0 done, 1 failed, 2 wrong usage. */
export function createCommand(workspace: string): Command {
  return {
    name: "example",
    summary: "count the files of the workspace",
    args: ["[suffix]"],
    options: [{ flags: "--json", summary: "print JSON" }],
    async run({ args: [suffix = ""], options, out, err }) {
      const names = await readdir(workspace).catch(() => undefined);
      if (!names) {
        err(`${workspace} cannot be read: check that it is there.`);
        return 1;
      }
      const files = names.filter((name) => name.endsWith(suffix)).length;
      out(options["json"] ? JSON.stringify({ files }) : `${files} files`);
      return 0;
    },
  };
}
