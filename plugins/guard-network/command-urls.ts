import type { ShellReading } from "@gantry/sdk";
import { addressIn, programOf } from "./address-in.ts";
import { gitLeadsOut } from "./git-remotes.ts";
import { fetchers, programs } from "./programs.ts";

const gitFetches = new Set(["clone", "fetch", "pull", "push", "ls-remote", "archive"]);

/**
 * Returns the first command that leads out to more than addresses in full, in a phrase; undefined
 * if there is none.
 */
export function unsaidIn({ commands }: ShellReading): string | undefined {
  const found = commands.find(([head, ...args]) => {
    const program = programOf(head);
    return program === "git" ? gitLeadsOut(args) : programs.get(program)?.(args) === true;
  });
  const shown = found?.map(({ text, whole }) => (whole ? text : `${text}…`)).join(" ");
  return shown?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}`]+/gu, " ").slice(0, 80);
}

/**
 * Addresses that stand in full in commands of programs that fetch them; for what else goes out, see
 * `unsaidIn`.
 */
export function urlsOf({ commands }: ShellReading): string[] {
  return commands.flatMap(([head, ...args]) => {
    const program = programOf(head);
    if (!fetchers.has(program) && !(program === "git" && args.some(({ text }) => gitFetches.has(text))))
      return [];
    return args.flatMap(addressIn);
  });
}
