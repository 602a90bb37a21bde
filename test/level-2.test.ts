import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import * as fill from "@gantry/sdk/fill";
import * as node from "@gantry/sdk/node";
import { moved } from "../plugins/level-2/moved.ts";
import { gantry, root, tempDir } from "./helpers/cli.ts";
import { sourcesIn } from "./helpers/sources.ts";

const fixtures = path.join(root, "test/fixtures/level-2");
/** Its database is a package that is not installed here: it is loaded, and not opened. */
const loadedAlone = ["store-postgres"];
const names = readdirSync(fixtures);

/** The keys that two of the plugins must have. */
const keys = `
[plugins_config.channel-bot]
api_url = "https://bot.example"
bot_token = "t"
[plugins_config.channel-matrix]
homeserver = "https://matrix.example"
access_token = "t"
`;

test.each(names.filter((name) => !loadedAlone.includes(name)))(
  "SDK-21: the example %s of level 2 keeps its contract under level 3",
  async (name) => {
    using home = tempDir();
    const table = keys.split("\n[").find((one) => one.includes(`plugins_config.${name}]`));
    const config = path.join(home.dir, "keys.toml");
    writeFileSync(config, table === undefined ? "" : `[${table.replace(/^\s*\[?/, "")}`);
    const args = ["plugins", "check", path.join(fixtures, name), "--config", config, "--json"];
    const { code, out, err } = await gantry(args, { dir: home.dir });
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ ok: true, findings: [] });
  },
);

test("SDK-21: every example of level 2 loads beside the bundled plugins of level 3", async () => {
  expect(names.length).toBeGreaterThan(14);
  const listed = names.map((name) => path.join(fixtures, name, "index"));
  const files = listed.map((one) => `${one}.${one.includes("office-hours") ? "js" : "ts"}`);
  // A second store would be refused before any setup.
  using home = tempDir(
    `extra_plugins = ${JSON.stringify(files)}\nwithout_plugins = ["store-sqlite"]\n${keys}`,
  );
  const { code, out, err } = await gantry(["plugins", "list", "--json"], { dir: home.dir });
  expect([code, err]).toEqual([0, ""]);
  const { loaded } = JSON.parse(out) as { loaded: { name: string; from: string }[] };
  expect(loaded.map(({ from }) => from)).toEqual(expect.arrayContaining(files));
});

/**
 * The values, which alone are there at run time, that a door of level 2 had and that have moved.
 */
function movedValues(door: string): readonly string[] {
  const shared = sourcesIn("plugins/shared").flatMap(({ text }) =>
    [...text.matchAll(/^export (?:async )?(?:const|class|function) (\w+)/gm)].map(([, name = ""]) => name),
  );
  const values = [...Object.keys(fill), ...Object.keys(node), ...shared, "endedText"];
  return wordsOf(Object.values(moved[door] ?? {}).join(" ")).filter((name) => values.includes(name));
}

const wordsOf = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * A plugin whose summary says which of these names each door lacks, and what it takes for its
 * level.
 */
const looking = (facts: string): string => `
  import * as sdk from "@gantry/sdk";
  import * as channel from "@gantry/sdk/channel";
  import * as node from "@gantry/sdk/node";
  const doors = { "@gantry/sdk": sdk, "@gantry/sdk/channel": channel, "@gantry/sdk/node": node };
  const had = ${JSON.stringify(Object.fromEntries(Object.keys(moved).map((door) => [door, movedValues(door)])))};
  const lacks = Object.entries(had).flatMap(([door, names]) => names.filter((name) => doors[door][name] === undefined));
  export default sdk.definePlugin({ name: "looking", ${facts} summary: lacks.join(" ") + " level " + sdk.SDK_LEVEL, setup() {} });
`;

const stating = JSON.stringify({ type: "module", exports: "./index.ts", gantry: { sdk: 2 } });

test.each([
  ["a loose file", "./loose.js", { "loose.js": looking("sdk: 2,") }],
  ["a folder", "./mine/index.js", { "mine/index.js": looking(""), "mine/package.json": stating }],
  [
    "a package in TypeScript",
    "looking",
    {
      "node_modules/gantry-plugin-looking/package.json": stating,
      "node_modules/gantry-plugin-looking/index.ts": looking(""),
    },
  ],
])("SDK-21: %s of level 2 finds each moved name behind its old door", async (_, listed, files) => {
  expect(Object.keys(moved).flatMap(movedValues).length).toBeGreaterThan(50);
  using home = tempDir(`plugins = [${JSON.stringify(listed)}]\n`);
  put(home.dir, files);
  const { out, err } = await gantry(["plugins", "inspect", "looking", "--json"], { dir: home.dir });
  expect(err).toBe("");
  expect(JSON.parse(out)).toMatchObject({ summary: " level 2", sdk: 2 });
});

function put(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
}

test("SDK-21: beside a plugin of level 2 one of level 3 has the doors of level 3", async () => {
  using home = tempDir('plugins = ["./mine/index.js", "./own.js"]\n');
  put(home.dir, {
    "mine/index.js": looking(""),
    "mine/package.json": stating,
    "own.js": looking("").replace('"looking"', '"own"'),
  });
  const { out, err } = await gantry(["plugins", "inspect", "own", "--json"], { dir: home.dir });
  expect(err).toBe("");
  expect(JSON.parse(out)).toMatchObject({ summary: expect.stringMatching(/Redactors .* level 3$/), sdk: 3 });
});

test("SDK-21: a file without a level is told the new door of a moved name", async () => {
  using home = tempDir('plugins = ["./mine.js"]\n');
  put(home.dir, { "mine.js": 'import { Redactors } from "@gantry/sdk";\nexport default Redactors;\n' });
  const { code, err } = await gantry(["plugins", "list"], { dir: home.dir });
  expect([code, err]).toEqual([
    2,
    "gantry: The plugin ./mine.js imports Redactors from @gantry/sdk, and that name stands in @gantry/sdk/fill: " +
      "import it from there, or state `sdk: 2` if the plugin is of that level. [PLUGIN_SDK_MOVED]\n",
  ]);
});

const route = (facts: string): string => `
  import { definePlugin, Routes } from "@gantry/sdk";
  const route = { name: "GET /mine", method: "GET", path: "/mine", auth: "token", summary: "Mine.",
    handle: async () => ({ status: 200, text: "mine" }) };
  export default definePlugin({ name: "mine", ${facts} summary: "Mine.", provides: [Routes],
    setup(host) { host.provide(Routes, route); } });
`;

test.each([
  [3, 1, /asks for a token and states no scope: `may` is talk, read, decide, manage/],
  [2, 0, /^$/],
])("SDK-21: a route without a scope under level %s ends with %s", async (level, ends, finding) => {
  using home = tempDir();
  put(home.dir, { "mine.js": route(`sdk: ${level},`) });
  const { code, out } = await gantry(["plugins", "check", "mine.js", "--json"], { dir: home.dir });
  const { findings } = JSON.parse(out) as { findings: readonly string[] };
  expect([code, findings.join("\n")]).toEqual([ends, expect.stringMatching(finding)]);
});

/** Returns the text of a door, in which names of types stand too. */
const doorText = (door: string): string => {
  const files = {
    "@gantry/sdk": "index.ts",
    "@gantry/sdk/fill": "fill.ts",
    "@gantry/sdk/node": "node/index.ts",
  };
  return readFileSync(path.join(root, "sdk", files[door as keyof typeof files]), "utf8");
};

test("HSE-03: each moved name stands behind its new door alone", () => {
  for (const [door, places] of Object.entries(moved).filter(([from]) => from !== "@gantry/sdk/channel"))
    for (const [to, list] of Object.entries(places))
      for (const name of wordsOf(list)) {
        const word = new RegExp(`\\b${name}\\b`);
        expect([name, word.test(doorText(door)), to === "" || word.test(doorText(to))]).toEqual([
          name,
          false,
          true,
        ]);
      }
});
