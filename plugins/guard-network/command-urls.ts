import type { ShellReading, ShellWord } from "@gantry/sdk";

const fetchers = new Set([
  "curl",
  "wget",
  "wget2",
  "aria2c",
  "axel",
  "http",
  "https",
  "xh",
  "lynx",
  "w3m",
  "links",
  "elinks",
  "httpie",
]);
const gitFetches = new Set(["clone", "fetch", "pull", "push", "ls-remote", "archive"]);

/** Addresses that stand in full in commands of programs that fetch them. What else goes out is left to the sandbox. */
export function urlsOf({ commands }: ShellReading): string[] {
  return commands.flatMap(([head, ...args]) => {
    const program = head?.text.replace(/^.*\//s, "").toLowerCase() ?? "";
    if (!fetchers.has(program) && !(program === "git" && args.some(({ text }) => gitFetches.has(text))))
      return [];
    return args.flatMap(addressIn);
  });
}

function addressIn({ text, whole }: ShellWord): string[] {
  const [, url] = /^(?:-[a-z]|--[a-z-]+=)?([a-z][a-z0-9+.-]*:\/\/.*)$/is.exec(text) ?? [];
  if (url === undefined) return [];
  // Of an address that goes on at run time, the host is known where a path has begun.
  const known = whole ? url : /^[^/]*\/\/[^/]+\//.exec(url)?.[0];
  return known === undefined ? [] : [known];
}
