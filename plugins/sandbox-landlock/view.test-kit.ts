import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { guarded } from "./repositories.test-kit.ts";
import { type SandboxKit, processesWith, until } from "./sandbox.test-kit.ts";
import { RunWords } from "./view/run-words.ts";

/** Returns the entries of a folder by name: contents of files, targets of links. */
export function treeOf(root: string, at = ""): Readonly<Record<string, string>> {
  return Object.assign(
    {},
    ...readdirSync(path.join(root, at))
      .toSorted()
      .map((name) => {
        const one = path.join(at, name);
        const about = lstatSync(path.join(root, one));
        if (about.isDirectory()) return { [`${one}/`]: "", ...treeOf(root, one) };
        if (about.isSymbolicLink()) return { [one]: `-> ${readlinkSync(path.join(root, one))}` };
        return { [one]: about.isFile() ? readFileSync(path.join(root, one), "utf8") : "?" };
      }),
  ) as Readonly<Record<string, string>>;
}

/**
 * Has somebody outside do something while a command waits, as a script or in here; the command is
 * woken when that is done.
 */
export async function meanwhile(
  kit: SandboxKit,
  before: string,
  owner: string,
  after = "true",
  look: () => Promise<unknown> = async () => undefined,
) {
  const word = `${31_000 + Math.floor(Math.random() * 9_000_000)}`;
  const run = kit.run(`${before}; sleep ${word}; ${after}`);
  await until(() => processesWith(`sleep\0${word}`).length > 0);
  const during = treeOf(kit.workspace);
  sh(kit, owner);
  await look();
  for (const pid of processesWith(`sleep\0${word}`)) process.kill(pid, "SIGTERM");
  return { result: await run, during };
}

export const sh = (kit: SandboxKit, script: string): string =>
  execFileSync("/bin/bash", ["--norc", "-c", script], { cwd: kit.workspace, encoding: "utf8" });

/** Returns the ids of runs in these findings. */
export const idsIn = (findings: readonly string[] = []): readonly string[] =>
  findings.flatMap((one) => /(?:from-run-|runs show )([\da-f]{8})/.exec(one)?.[1] ?? []);

export const unnamed = (findings: readonly string[] = []): readonly string[] =>
  findings.map((one) => one.replaceAll(/(from-run-|runs show )[\da-f]{8}/g, "$1ID"));

export const words = (kit: SandboxKit, ...args: readonly string[]): { said: string[]; words: RunWords } => {
  const said: string[] = [];
  const context = { args, options: { json: true }, out: (line: string) => said.push(line) };
  const lists = { secret: [".env"], guarded };
  return { said, words: new RunWords(kit.layers, kit.workspace, lists, context as never) };
};
