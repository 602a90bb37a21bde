import { createHash } from "node:crypto";
import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PtyDevice } from "../plugins/tool-peripherals/pty.test-kit.ts";
import { environment, gantry, root, tempDir } from "./helpers/cli.ts";
import { installedBin, installGlobally, packed } from "./helpers/package.ts";

let prefix = "";
let said = "";
let bin = "";
let folder = "";

beforeAll(async () => {
  prefix = mkdtempSync(path.join(tmpdir(), "gantry-install-"));
  said = await installGlobally(packed(), prefix);
  bin = installedBin(prefix);
  folder = path.dirname(path.dirname(path.dirname(bin)));
}, 240_000);

afterAll(() => rmSync(prefix, { recursive: true, force: true }));

function filesOf(at: string): readonly string[] {
  return readdirSync(at, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function release(): string {
  const [name = ""] = readdirSync(path.dirname(bin)).filter((one) =>
    /^\d+\.\d+\.\d+-[0-9a-f]{16}$/.test(one),
  );
  return path.join(path.dirname(bin), name);
}

test("DIS-01: one package installs offline, without scripts and optional packages, and npm has nothing to say but that", () => {
  expect(said.trim()).toMatch(/^added 1 package in \S+$/);
  const facts = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Record<string, object>;
  expect(facts["dependencies"]).toBeUndefined();
  expect(facts["optionalDependencies"]).toBeUndefined();
  const scripts = Object.keys(facts["scripts"] ?? {});
  expect(scripts.filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});

test("DIS-01: with all that it runs on it takes less than 20 MiB, without maps, and no file is in it twice", () => {
  const files = filesOf(folder);
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThan(20 * 1024 * 1024);
  expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
  const code = files.filter((file) => file.endsWith(".js"));
  expect(code.filter((file) => readFileSync(file, "utf8").includes("sourceMappingURL=")).length).toBe(0);
  const seen = files
    .filter((file) => statSync(file).size > 1_024)
    .map((file) => createHash("sha256").update(readFileSync(file)).digest("hex"));
  expect(seen.length).toBe(new Set(seen).size);
  const packages = [
    ...readFileSync(path.join(release(), "NOTICES.txt"), "utf8").matchAll(/^(\S+ \d+\.\S+) \(/gm),
  ];
  const names = packages.map(([, name]) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(names).toEqual([...new Set(names)]);
});

test("DIS-01: all that is loaded later lies in a folder that is named for its content, under names that are", () => {
  const inRelease = filesOf(release()).map((file) => path.relative(release(), file));
  const parts = inRelease.filter((file) => file.endsWith(".js") && !file.includes("/"));
  const doors =
    /^(?:base-plugins|cli|index|sdk(?:-channel|-fill|-node|-provider)?|testing|typebox(?:-value)?)\.js$/;
  expect(parts.filter((file) => !doors.test(file) && !/-[\w-]{8}\.js$/.test(file))).toEqual([]);
  const besides = readdirSync(path.dirname(bin)).filter((name) => name !== path.basename(release()));
  expect(besides.toSorted()).toEqual(["completion", "gantry.js", "man", "sdk"]);
});

test("DIS-01: what is installed runs a turn with a real tool call behind kernel walls", async () => {
  using home = tempDir();
  const { code, out, err } = await gantry(["agent", "-m", "List the files here"], { dir: home.dir, bin });
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("file_list") as string });
  expect(err).not.toMatch(/warning/i);
  const status = await gantry(["status", "--json"], { dir: home.dir, bin });
  expect(status.out).toMatch(/walls of the kernel|Landlock/);
});

test("DIS-01: TOL-03: what is installed speaks to a device at a serial port", async () => {
  await using device = await PtyDevice.plugIn(() => "21 C\n");
  using home = tempDir(`[peripherals.sensor]\nkind = "serial"\npath = "${device.path}"\n`);
  const args = ["tools", "call", "serial_exchange", '{"peripheral":"sensor","text":"?"}', "--yes"];
  expect(await gantry(args, { dir: home.dir, bin })).toMatchObject({ code: 0, out: "21 C\n" });
});

test("OPS-04: what runs from a package runs from a copy of its own, so that it outlives what is installed over it", async () => {
  using home = tempDir();
  const copy = path.join(home.dir, "cache/releases", path.basename(release()));
  expect((await gantry(["plugins", "list"], { dir: home.dir, bin })).code).toBe(0);
  expect(statSync(path.dirname(copy)).mode & 0o077).toBe(0);
  const own = filesOf(copy).map((file) => path.relative(copy, file));
  expect(own).toContain("cli.js");
  const other = process.arch === "x64" ? "arm64" : "x64";
  expect(own.filter((file) => file.includes(`_${other}/`))).toEqual([]);
  using open = tempDir();
  mkdirSync(path.join(open.dir, "cache/releases"), { recursive: true, mode: 0o777 });
  execFileSync("chmod", ["777", path.join(open.dir, "cache/releases")]);
  const there = await gantry(["plugins", "list"], { dir: open.dir, bin });
  expect(there.code).toBe(0);
  expect(readdirSync(path.join(open.dir, "cache/releases"))).toEqual([]);
});

test("DIS-01: a plugin in TypeScript that needs more than stripped types meets the host's own sdk", async () => {
  using home = tempDir('extra_plugins = ["./units.ts"]\n');
  const code = `import { Commands, definePlugin } from "@gantry/sdk";
import { shortHash } from "@gantry/sdk/node";
import { Type } from "typebox";
enum Unit { Metric = "metric" }
export default definePlugin({
  name: "units", summary: "Units.", config: Type.Object({ unit: Type.String({ default: Unit.Metric, description: "A unit." }) }), provides: [Commands],
  setup(host) { host.provide(Commands, { name: "units", summary: "units", run: async ({ out }) => (out(host.config.unit + shortHash("x").length), 0) }); },
});
`;
  writeFileSync(path.join(home.dir, "units.ts"), code);
  expect(await gantry(["units"], { dir: home.dir, bin })).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^metric\d+\n$/) as string,
  });
});

test("DIS-01: who writes a plugin gets declarations and a test kit from the installed package", async () => {
  using home = tempDir();
  expect((await gantry(["plugins", "new", "tool", "weather"], { dir: home.dir, bin })).code).toBe(0);
  const plugin = path.join(home.dir, "gantry-plugin-weather");
  mkdirSync(path.join(plugin, "node_modules/@gantry"), { recursive: true });
  mkdirSync(path.join(plugin, "node_modules/@types"), { recursive: true });
  symlinkSync(path.join(path.dirname(bin), "sdk"), path.join(plugin, "node_modules/@gantry/sdk"));
  for (const name of ["typebox", "@types/node"])
    symlinkSync(path.join(root, "node_modules", name), path.join(plugin, "node_modules", name));
  const run = (...args: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      const env = environment({ dir: home.dir });
      execFile(process.execPath, args, { cwd: plugin, env }, (error, stdout, stderr) =>
        resolve(error ? `${stdout}${stderr}` : "right"),
      );
    });
  expect(await run(path.join(root, "node_modules/typescript/bin/tsc"), "-p", ".")).toBe("right");
  expect(await run("--test")).toBe("right");
  const { exports } = JSON.parse(readFileSync(path.join(root, "sdk/package.json"), "utf8")) as {
    exports: object;
  };
  for (const door of Object.keys(exports).map((one) => one.replace(".", "@gantry/sdk")))
    expect([door, await run("--input-type=module", "-e", `await import("${door}")`)]).toEqual([
      door,
      "right",
    ]);
  expect((await gantry(["plugins", "check", "gantry-plugin-weather"], { dir: home.dir, bin })).code).toBe(0);
});

test("DIS-01: bash completes words, words of words and flags", () => {
  const file = path.join(path.dirname(bin), "completion/gantry.bash");
  const complete = (...words: readonly string[]): readonly string[] => {
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gantry; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ["-c", script, "bash", file, "gantry", ...words];
    return execFileSync("bash", args, { encoding: "utf8" }).trim().split("\n");
  };
  expect(complete("conf")).toEqual(["config"]);
  expect(complete("config", "s")).toEqual(["schema", "set"]);
  expect(complete("agent", "--mod")).toEqual(["--model"]);
  expect(complete("agent", "--model", "some", "--sess")).toEqual(["--session"]);
  expect(complete("service", "install", "--dr")).toEqual(["--dry-run"]);
});

test("DIS-01: man page and completion for zsh and fish name every word", async () => {
  using home = tempDir();
  const { out } = await gantry(["--help"], { dir: home.dir, bin });
  const words = [...out.matchAll(/^ {2}([a-z]+)/gm)]
    .map(([, word = ""]) => word)
    .filter((word) => word !== "help");
  expect(words.length).toBeGreaterThan(15);
  const at = path.dirname(bin);
  const manual = readFileSync(path.join(at, "man/gantry.1"), "utf8");
  const zsh = readFileSync(path.join(at, "completion/_gantry"), "utf8");
  const fish = readFileSync(path.join(at, "completion/gantry.fish"), "utf8");
  for (const word of words) {
    expect(manual).toMatch(new RegExp(String.raw`\\fBgantry ${word}[ \\]`));
    expect(zsh).toContain(`'${word}:`);
    expect(fish).toContain(` -a ${word} `);
  }
  expect(existsSync(path.join(prefix, "share/man/man1/gantry.1"))).toBe(true);
});

test("DIS-01: removed again, nothing is left of it but the configuration directory", async () => {
  const other = mkdtempSync(path.join(tmpdir(), "gantry-removed-"));
  try {
    await installGlobally(packed(), other);
    using home = tempDir();
    await gantry(["agent", "-m", "hello"], { dir: home.dir, bin: installedBin(other) });
    const env = { PATH: process.env["PATH"] ?? "", HOME: other, npm_config_prefix: other };
    execFileSync("npm", ["uninstall", "--global", "gantry"], { cwd: other, env, stdio: "ignore" });
    rmSync(path.join(other, "npm-cache"), { recursive: true, force: true });
    rmSync(path.join(other, ".npm"), { recursive: true, force: true });
    expect(filesOf(other)).toEqual([]);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});
