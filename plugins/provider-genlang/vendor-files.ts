import { readdir } from "node:fs/promises";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { readJson } from "./secret-file.ts";
import { readTokens } from "./tokens.ts";
import type { Account } from "./tokens.ts";

const CLI = ".gemini";
const FILE = "oauth_creds.json";
const EXTRA_HOME = /^\.gemini-.*-home$/;

/**
 * The files of the vendor's own CLI: the first is in use, the others are for rotation. They are
 * read and never written.
 */
export async function vendorAccounts(): Promise<readonly Account[]> {
  const home = homedir();
  const names = await readdir(home).catch(() => []);
  const homes = names.filter((name) => EXTRA_HOME.test(name)).toSorted();
  const paths = [join(CLI, FILE), ...homes.map((name) => join(name, CLI, FILE))];
  return paths.filter((path) => existsSync(join(home, path))).map((path) => account(home, path));
}

function account(home: string, path: string): Account {
  const id = `~/${path}`;
  return {
    id,
    source: "vendor CLI OAuth",
    read: async () => readTokens(await readJson(join(home, path), id), id),
  };
}
