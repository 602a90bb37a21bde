import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Commands, textOf, type CommandContext, type Plugin } from "@gantry/sdk";
import {
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { afterEach, beforeEach, vi } from "vitest";
import plugin from "./index.ts";

let home: string;

/** Gives each test of a file folders of its own, where nothing of the machine's is found. */
export function useHome(): void {
  beforeEach(async () => {
    home = await realpath(await mkdtemp(path.join(tmpdir(), "gantry-skills-")));
    vi.stubEnv("HOME", path.join(home, "home"));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true, force: true });
  });
}

/** The folder in which a person keeps their own skills. */
export const homeSkills = (): string => path.join(home, "home", ".agents", "skills");
/** The workspace. */
export const work = (): string => path.join(home, "work");
/** Its skills. */
export const place = (): string => path.join(work(), ".agents", "skills");

/** Writes a skill into a folder of skills, with a script and a page beside it. */
export async function write(folder: string, name: string, body = "Say it in rhymes."): Promise<string> {
  const at = path.join(folder, name);
  await mkdir(path.join(at, "scripts"), { recursive: true });
  await writeFile(
    path.join(at, "SKILL.md"),
    `---\nname: ${name}\ndescription: How to ${name}.\n---\n${body}\n`,
  );
  await writeFile(path.join(at, "notes.txt"), "Some notes.");
  await writeFile(path.join(at, "scripts", "run.sh"), "echo run\n");
  await chmod(path.join(at, "scripts", "run.sh"), 0o755);
  await symlink("notes.txt", path.join(at, "link"));
  return at;
}

/** Starts a host with the plugin, and `run` for the words of `gantry skills`. */
export async function start(
  replies: Parameters<typeof fakeProvider>[0] = ["ok"],
  config: Record<string, unknown> = {},
  more: readonly Plugin[] = [],
) {
  await mkdir(work(), { recursive: true });
  const store = createMemoryStore();
  const model = fakeProvider(replies);
  const channel = fakeChannel("fake");
  const t = await startTestHost({
    plugins: [plugin, model, channel, memoryStore(store), ...more],
    config: { security: { workspace_path: work() }, ...config },
  });
  const out: string[] = [];
  const run = async (name: string, args: readonly string[] = [], options: CommandContext["options"] = {}) => {
    out.length = 0;
    const line = (text: string): void => void out.push(text);
    const context = { args, options, out: line, err: line, interactive: false };
    const signal = new AbortController().signal;
    return t
      .slot(Commands)
      .get(`skills ${name}`)
      ?.run({ ...context, signal, serve: async () => 0 });
  };
  const system = (): string => textOf(model.requests.at(-1)?.messages[0]?.parts ?? []);
  const said = (): string => textOf(model.requests.at(-1)?.messages.at(-1)?.parts ?? []);
  const text = (): string => out.join("\n");
  return Object.assign(t, { run, system, said, text, model, channel, store });
}
export const accept = { yes: true };
