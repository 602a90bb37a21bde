import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { definePlugin, defineTool, Tools } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import commands from "../guard-commands/index.ts";
import guard from "./index.ts";

const writes = ({ path: file }: { readonly path: string }) => ({
  paths: [{ path: file, access: "write" as const }],
});

const tools = definePlugin({
  name: "tool-some",
  provides: [Tools],
  setup(host) {
    const input = Type.Object({ path: Type.String() });
    const facts = { description: "A tool.", input, run: async () => "done" };
    host.provide(Tools, defineTool({ ...facts, name: "write", effects: writes }));
    host.provide(Tools, defineTool({ ...facts, name: "sh", effects: (args) => ({ commands: [args.path] }) }));
  },
});

const start = (security: object = {}): Promise<TestHost> =>
  startTestHost({ plugins: [guard, commands, tools], config: { security } });

/** Those of these that the guard refuses as sensitive. */
async function refused(host: TestHost, tool: string, list: readonly string[]): Promise<readonly string[]> {
  const opinions = list.map(async (text) => {
    const all = await host.explain(tool, { path: text });
    return all.some(({ outcome }) => outcome?.code === "PATH_SENSITIVE") ? [text] : [];
  });
  return (await Promise.all(opinions)).flat();
}

const started = [
  ".devcontainer.json .helix/languages.toml bunfig.toml .Renviron .RData .bazelrc tools/bazel .emacs.d/init.el",
  ".pre-commit-config.yaml lefthook.yml docker-compose.override.yml mise.local.toml .mise/config.toml",
  ".envrc.local .luarc.json .jj/repo/workspace-config.toml x.sublime-project .fleet/run.json .theia/tasks.json",
  ".xprofile .bash_completion .ipython/profile_default/startup/a.py .gradle/init.d/a.gradle .corepack.env",
  ".config/autostart/x.desktop .config/systemd/user/x.service .local/share/applications/x.desktop .local/bin/ls",
  ".lefthook-local.yml hie.yaml .user.ini .forward .config/environment.d/a.conf .bsp/sbt.json compose.override.yaml",
]
  .join(" ")
  .split(" ");
const obeyed =
  "CLAUDE.md GEMINI.md .cursorrules .windsurfrules .clinerules .github/copilot-instructions.md .aider.conf.yml AGENTS.override.md .opencode/a .agents/skills/a/SKILL.md .junie/guidelines.md .goosehints .github/instructions/a.md claude.md".split(
    " ",
  );
const secret = [".env", ".netrc", ".ssh/authorized_keys", ".ssh/rc", ".npmrc", "id_ed25519", "a.pem"];
const plain =
  "bin/run .github/workflows/ci.yml docs/agents.txt compose.yml rust.toml model.pth a/bin/b".split(" ");

/** Commands that make a file of this name. */
const making = (name: string): readonly string[] => [
  `echo x > ${name}`,
  `touch ${name}`,
  `cp a ${name}`,
  `mv a ${name}`,
  `ln -s a ${name}`,
  `tee ${name}`,
  `find . -fprint ${name}`,
  `sort -o ${name} a`,
  `git log --output=${name}`,
];

test("FLR-06: no tool writes what programs start by themselves or other agents obey", async () => {
  await using host = await start();
  const names = [...started, ...obeyed].flatMap((name) => [name, `sub/${name}`]);
  expect(await refused(host, "write", names)).toEqual(names);
  expect(await refused(host, "write", plain)).toEqual([]);
});

test("FLR-06: no tool makes a new file of a secret or guarded name, nor a command by its words", async () => {
  await using host = await start();
  expect(await refused(host, "write", secret)).toEqual(secret);
  const commands = [...secret, "CLAUDE.md", ".envrc", "sub/.bazelrc"].flatMap(making);
  expect(await refused(host, "sh", commands)).toEqual(commands);
  const reading = ["cat CLAUDE.md", "find . -name .bazelrc", "sort lefthook.yml", "git diff CLAUDE.md"];
  expect(await refused(host, "sh", reading)).toEqual([]);
});

test("FLR-06: a guarded name is refused in any case, in any folder, with any end that a disk drops", async () => {
  await using host = await start();
  const name = fc.constantFrom(...started, ...obeyed);
  const folder = fc.constantFrom("", "a/", "a/b c/", "./", "a/../");
  const end = fc.constantFrom("", ".", " ", "..");
  const upper = fc.boolean();
  await fc.assert(
    fc.asyncProperty(name, folder, end, upper, async (one, before, after, isUpper) => {
      const written = before + (isUpper ? one.toUpperCase() : one) + after;
      expect(await refused(host, "write", [written])).toEqual([written]);
    }),
    { numRuns: 60 },
  );
});

test("FLR-35: in a home nothing is written that a login starts, its bin included", async () => {
  const home = await realpath(await mkdtemp(path.join(tmpdir(), "gantry-home-")));
  vi.stubEnv("HOME", home);
  try {
    await mkdir(path.join(home, "bin"));
    const login = [
      "bin/ls",
      ".config/autostart/x.desktop",
      ".local/bin/ls",
      ".config/systemd/user/x.service",
    ];
    await using host = await start({ workspace_path: home });
    expect(homedir()).toBe(home);
    expect(await refused(host, "write", login)).toEqual(login);
    expect(await refused(host, "sh", ["cp a bin/ls", "echo x > bin/git"])).toHaveLength(2);
    expect(await refused(host, "write", ["project/bin/run", "binary"])).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true, force: true });
  }
});
