import { chmod, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
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

/** One change of a skill's folder, of each class that a hostile program could make. */
export const changes: readonly (readonly [string, (at: string, pick: number) => Promise<void>])[] = [
  ["a byte of SKILL.md", (at, pick) => flip(path.join(at, "SKILL.md"), pick)],
  ["a byte of a script", (at, pick) => flip(path.join(at, "scripts", "run.sh"), pick)],
  [
    "a mode",
    (at, pick) =>
      chmod(path.join(at, "scripts", "run.sh"), [0o644, 0o777, 0o4755, 0o2755, 0o700][pick % 5] ?? 0),
  ],
  ["the folder's mode", (at, pick) => chmod(at, [0o777, 0o1755, 0o2755, 0o700][pick % 4] ?? 0)],
  [
    "where a link leads",
    async (at, pick) => {
      await rm(path.join(at, "link"));
      await symlink(["SKILL.md", "scripts", "./notes.txt"][pick % 3] ?? "", path.join(at, "link"));
    },
  ],
  [
    "a link in place of a file",
    async (at) => {
      await rm(path.join(at, "notes.txt"));
      await symlink("SKILL.md", path.join(at, "notes.txt"));
    },
  ],
  ["a file more", (at, pick) => writeFile(path.join(at, `more-${pick}`), "")],
  ["a folder more", async (at, pick) => void (await mkdir(path.join(at, `folder-${pick}`)))],
  ["a name with a sign that is not seen", (at) => writeFile(path.join(at, "notes\u200b.txt"), "")],
  ["a name that looks like two lines", (at) => writeFile(path.join(at, "a  0 bytes\n  b"), "")],
  ["a file less", (at) => rm(path.join(at, "notes.txt"))],
  ["another name", (at, pick) => rename(path.join(at, "notes.txt"), path.join(at, `notes-${pick}.txt`))],
];
async function flip(file: string, pick: number): Promise<void> {
  const bytes = await readFile(file);
  const at = pick % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (pick % 8));
  await writeFile(file, bytes);
}
