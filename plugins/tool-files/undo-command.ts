import path from "node:path";
import type { Command } from "@gantry/sdk";
import { userOfTerminal } from "@gantry/sdk/node";
import type { KeptChange } from "./journal.ts";
import type { UndoDeps, UndoWish } from "./undo.ts";

const LISTED = 50;

/**
 * `gantry undo`: takes back the last change that a tool made to a file. A file is named as tools
 * name it, from the workspace.
 */
export function undoCommand(deps: UndoDeps, workspace: string): Command {
  return {
    name: "undo",
    summary: "take back the last change that a tool made to a file of the workspace",
    args: ["[file]"],
    options: [
      { flags: "--session <id>", summary: "the last change of this conversation" },
      { flags: "-C <dir>", summary: "the workspace in which it was made, where it is another" },
      { flags: "--list", summary: "only list the changes that can be taken back, newest first" },
      { flags: "--json", summary: "print JSON" },
    ],
    async run({ args: [file], options, out, signal }) {
      const { changesOf, undo } = await import("./undo.ts");
      const wish: UndoWish = {
        ...(typeof options["session"] === "string" && { session: options["session"] }),
        ...(file !== undefined && { path: path.resolve(workspace, file) }),
      };
      if (options["list"]) {
        const changes = (await changesOf(deps.journal, wish)).slice(0, LISTED);
        if (options["json"]) out(JSON.stringify(changes));
        else if (changes.length === 0) out("There is no change of a tool to take back.");
        else for (const change of changes) out(line(change));
        return 0;
      }
      const change = await undo(deps, wish, userOfTerminal(), signal);
      out(options["json"] ? JSON.stringify(change) : `Undone: ${line(change)}`);
      return 0;
    },
  };
}

function line({ path: file, tool, at, session, before }: KeptChange): string {
  const did = before === "nothing" ? "created" : "changed";
  return `${JSON.stringify(file).slice(1, -1)}, ${did} by ${tool} at ${at} in ${session}`;
}
