import { existsSync } from "node:fs";
import path from "node:path";
import { fileNames, isInside, secretFiles } from "@gantry/sdk/node";

/** The characters that are searched for names, and the number of names that are told. */
const LIMITS = { characters: 20_000, named: 3 };
/** The words of programs for a file that the kernel holds. */
const HELD = /resource busy|read-only file system|not permitted|permission denied/i;

/** The facts of a run whose end a closed file may explain. */
interface Ended {
  readonly command: string;
  readonly stderr: string;
  readonly failed: boolean;
}

/**
 * Names the files of the workspace that walls close to commands, where a command or what it says of
 * its failure names one: an empty file, or one that is "busy", is not what it looks like. A name
 * that is put together at run time is not noticed.
 */
export function closedFiles(
  secret: readonly string[],
  guarded: readonly string[],
): (ended: Ended, cwd: string) => readonly string[] {
  const isSecret = secretFiles(secret);
  const isGuarded = fileNames(guarded);
  return ({ command, stderr, failed }, cwd) => {
    const inside = (text: string): readonly string[] => {
      const words = new Set(text.slice(0, LIMITS.characters).match(/[\w.@~+/-]+/g));
      const there = [...words].filter((word) => /[./]/.test(word) && isThere(path.resolve(cwd, word), cwd));
      return there.map((word) => path.relative(cwd, path.resolve(cwd, word)));
    };
    const isHeld = failed && HELD.test(stderr);
    const notes = [
      ...inside(command)
        .filter((file) => isSecret(file))
        .map((file) => `${file} is a secret file, which no command reads: only its owner does`),
      ...(isHeld ? inside(`${command}\n${stderr}`) : [])
        .filter((file) => isGuarded(file) && !isSecret(file))
        .map((file) => `${file} is guarded: only its owner changes it`),
    ];
    return [...new Set(notes)].slice(0, LIMITS.named);
  };
}

function isThere(at: string, cwd: string): boolean {
  return at !== cwd && isInside(at, cwd) && existsSync(at);
}
