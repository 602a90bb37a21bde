import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runtimeVerdict } from "../plugins/shared/runtime-floors.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { layout } from "../plugins/store-sqlite/layout.ts";
import { gantry, tempDir } from "./helpers/cli.ts";
import { nextRelease } from "./helpers/next-release.ts";
import { packed } from "./helpers/package.ts";

let folder = "";
let newer = "";
const { node } = process.versions;
const { state, said, install } = runtimeVerdict(node);
/** The line about a release that runs on the Node of these tests. */
const runtimeLine =
  state === "patched" ? "" : `! It runs on Node ${node} here, ${said}: install Node ${install} or newer.\n`;
// The other store knows the same keys.
const gone = ["tool-web", "usage-ledger", "store-postgres"];

/** A release without these plugins and one key, whose store has moved on. */
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "gantry-upgrade-check-"));
  newer = nextRelease(packed(), folder, "0.2.0", (release) => {
    const list = path.join(release, "plugins.json");
    const plugins = JSON.parse(readFileSync(list, "utf8")) as { name: string }[];
    writeFileSync(list, JSON.stringify(plugins.filter(({ name }) => !gone.includes(name))));
    const store = path.join(
      release,
      readdirSync(release).find((name) => /^base-[\w-]{8}\.js$/.test(name)) ?? "",
    );
    // A minified name may hold `$`.
    const moved = readFileSync(store, "utf8").replace(/layout:[\w$]+\.length/, "layout:99");
    if (!moved.includes("layout:99")) throw new Error("The packed store states its layout otherwise.");
    writeFileSync(store, moved.replaceAll("session_retention_days", "session_days"));
  });
}, 240_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("DIS-04: upgrade --check tells plugins that are gone, keys that come and go, and files that move forward", async () => {
  using home = tempDir("[memory]\nretention_days = 30\n");
  const { code, out } = await gantry(["upgrade", "--check", newer], { dir: home.dir });
  expect(code).toBe(0);
  expect(out).toContain("This is 0.1.0, that is 0.2.0.");
  expect(out).toContain("- The plugin tool-web is gone.");
  expect(out).toMatch(/- store-sqlite moves its files from layout \d+ to 99 at the first start/);
  expect(out).toMatch(/`gantry restore --layout \d` with that release, before this one is/);
  expect(out).toContain("- store-sqlite no longer has memory.session_retention_days");
  expect(out).toContain("- store-sqlite has memory.session_days besides.");
});

test("FLR-13: upgrade --check of an earlier release names the word that goes back", async () => {
  using home = tempDir("");
  execFileSync("tar", ["-xzf", newer, "-C", home.dir]);
  const bin = path.join(home.dir, "package/dist/package/gantry.js");
  const { code, out } = await gantry(["upgrade", "--check", packed()], { dir: home.dir, bin });
  expect(code).toBe(1);
  const cannot = "✗ store-sqlite of that release cannot read files of layout 99: if this release";
  const cure = "has moved them there, go back first with `gantry restore --layout";
  expect(out).toContain(`${cannot} ${cure} ${layout.length}\`.\n`);
});

test("DIS-04: a release that would not start by this configuration is told before it is installed, with its reasons", async () => {
  using home = tempDir("[memory]\nsession_retention_days = 30\n[budget]\ntokens_per_day = 5\n");
  const { code, out } = await gantry(["upgrade", "--check", newer, "--json"], { dir: home.dir });
  expect(code).toBe(1);
  const { from, to, stops } = JSON.parse(out) as { from: string; to: string; stops: readonly string[] };
  expect([from, to]).toEqual(["0.1.0", "0.2.0"]);
  expect(stops.join("\n")).toMatch(
    /line 2: unknown key `memory\.session_retention_days`.*\[CONFIG_UNKNOWN_KEY\]/,
  );
  expect(stops.join("\n")).toMatch(/line 3: unknown key `budget/);
});

test("DIS-04: against the same release nothing changes; what is no release is named, and without --check the word says what it does", async () => {
  using home = tempDir("");
  const same = await gantry(["upgrade", "--check", packed()], { dir: home.dir });
  expect(same).toMatchObject({
    code: 0,
    out: `This is 0.1.0, that is 0.1.0.\n${runtimeLine}For this configuration nothing changes.\n`,
  });
  const bare = { dir: home.dir, env: { PATH: home.dir } };
  expect((await gantry(["upgrade", "--check", packed()], bare)).err).toMatch(
    /The program tar, which unpacks .*\.tgz, is not there: install it, .*\[UPGRADE_NO_TAR\]/,
  );
  for (const wrong of ["nothing.tgz", home.dir, home.file, "/bin/true"]) {
    const { code, err } = await gantry(["upgrade", "--check", wrong], { dir: home.dir });
    expect([wrong, code, err]).toEqual([wrong, 1, expect.stringContaining("[UPGRADE_NO_RELEASE]")]);
  }
  expect(await gantry(["upgrade"], { dir: home.dir })).toMatchObject({
    code: 2,
    err: expect.stringContaining("UPGRADE_WHAT") as string,
  });
});

test("DIS-04: upgrade --check tells which plugins a list lacks that the release runs by default, and when that stops it", async () => {
  const telegram = '[channels.telegram]\nbot_token = "123456789:AAtokenofthetestsABCDEFGHIJKLMNOPQRS"\n';
  const { out: json } = await gantry(["plugins", "list", "--json"], { dir: tempDir("").dir });
  const { loaded } = JSON.parse(json) as { loaded: readonly { readonly name: string }[] };
  const names = loaded.map(({ name }) => name).filter((name) => ![...gone, "inbox-worker"].includes(name));
  using home = tempDir(`plugins = ${JSON.stringify([...names, "channel-telegram"])}\n${telegram}`);
  // An installed release in which the worker was still part of the host.
  const old = nextRelease(packed(), home.dir, "0.0.9", (release) => {
    const list = path.join(release, "plugins.json");
    const plugins = JSON.parse(readFileSync(list, "utf8")) as { name: string }[];
    writeFileSync(list, JSON.stringify(plugins.filter(({ name }) => name !== "inbox-worker")));
  });
  execFileSync("tar", ["-xzf", old, "-C", home.dir]);
  const bin = path.join(home.dir, "package/dist/package/gantry.js");
  const { code, out } = await gantry(["upgrade", "--check", packed()], { dir: home.dir, bin });
  expect(out).toContain('✗ A channel is listed and no plugin works off its messages: add "inbox-worker"');
  const lacks = "- The plugin inbox-worker is new and runs by default, but `plugins` does not list it.";
  expect([code, out.includes(lacks)]).toEqual([1, true]);
});

test("OPS-04: a retired key works, is warned of with what to write instead, and upgrade --check tells of it", async () => {
  using home = tempDir('extra_plugins = ["./old.ts"]\n[plugins_config.old]\ncolour = "red"\n');
  writeFileSync(
    path.join(home.dir, "old.ts"),
    `import { Commands, definePlugin } from "@gantry/sdk";
import { Type } from "typebox";
export default definePlugin({
  name: "old", summary: "Old.", provides: [Commands],
  config: Type.Object({ colour: Type.Optional(Type.String({ description: "A colour.", retired: "write paint instead" })), paint: Type.String({ default: "blue", description: "A colour." }) }),
  setup: (host) => void host.provide(Commands, { name: "paint", summary: "paint", run: async ({ out }) => (out(host.config.colour ?? host.config.paint), 0) }),
});
`,
  );
  const painted = await gantry(["paint"], { dir: home.dir });
  expect(painted).toMatchObject({ code: 0, out: "red\n" });
  expect(painted.err).toMatch(/line 3: `plugins_config\.old\.colour` is retired .*: write paint instead\./);
  const { out } = await gantry(["upgrade", "--check", newer], { dir: home.dir });
  expect(out).toMatch(/- .*`plugins_config\.old\.colour` is retired/);
  writeFileSync(home.file, 'extra_plugins = ["./old.ts"]\n', { mode: 0o600 });
  expect(await gantry(["paint"], { dir: home.dir })).toMatchObject({ code: 0, out: "blue\n", err: "" });
});

/** A program that answers as an executable made of another Node does. */
function executable(dir: string, told: object): string {
  const file = path.join(dir, "gantry-linux-x64");
  const list = JSON.stringify({ loaded: [], ...told });
  const text = `#!/bin/sh\ncase $1 in --version) echo 0.2.0 ;; plugins) echo '${list}' ;; esac\n`;
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

test.each([
  [{ node: "24.22.1" }, []],
  [
    { node: "24.21.0" },
    [
      "It carries Node 24.21.0, open to CVE-2026-111497 and 6 more: take an executable that is made of Node 24.22.1 or newer.",
    ],
  ],
  [
    { node: "25.1.0" },
    [
      "It carries Node 25.1.0, of a line that is not patched any more, open to CVE-2026-111497 and 6 more: take an executable that is made of Node 26.12.1 or newer.",
    ],
  ],
  [{}, ["It does not tell which Node it carries: run `gantry doctor` once it is installed."]],
])("FLR-01: upgrade --check tells what the Node of an executable is open to: %j", async (told, lines) => {
  using home = tempDir("");
  const words = ["upgrade", "--check", executable(home.dir, told)];
  const { code, out } = await gantry([...words, "--json"], { dir: home.dir });
  expect([code, (JSON.parse(out) as { runtime: unknown }).runtime]).toEqual([0, lines]);
  const shown = (await gantry(words, { dir: home.dir })).out.split("\n");
  expect(shown.filter((line) => line.startsWith("!"))).toEqual(lines.map((line) => `! ${line}`));
});

test("FLR-01: upgrade --check tells what the present Node is open to, which runs a package", async () => {
  using home = tempDir("");
  const { out } = await gantry(["upgrade", "--check", packed()], { dir: home.dir });
  expect(out.split("\n").filter((line) => line.startsWith("!"))).toEqual(
    runtimeLine === "" ? [] : [runtimeLine.trim()],
  );
});
