import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, tempDir } from "../../test/helpers/cli.ts";
import {
  guardCode,
  guardFacts,
  isolated,
  linux,
  startIsolated,
  toolCode,
  toolFacts,
  written,
} from "./isolated.test-kit.ts";

const timeout = 180_000;

test.each([
  ["neither what it provides nor what it taps", {}, "ISOLATED_FACTS"],
  ["a list that is none", { provides: "tools" }, "ISOLATED_FACTS"],
  ["a config that is no schema", { provides: ["tools"], config: [] }, "ISOLATED_FACTS"],
  ["a floor", { provides: ["sandbox"] }, "ISOLATED_SLOT"],
  ["a slot of its own", { provides: ["vault"] }, "ISOLATED_SLOT"],
  ["a need that does not pass", { provides: ["tools"], needs: ["people"] }, "ISOLATED_SLOT"],
])("ISO-01: a package that states %s is refused before anything runs", async (_, facts, code) => {
  await expect(isolated(written(facts, "throw new Error('it ran')"))).rejects.toMatchObject({ code });
});

test.runIf(linux).each([
  ["fills a slot that its package.json does not state", guardFacts, toolCode(""), "SLOT_UNDECLARED"],
  ["taps a hook that its package.json does not state", toolFacts, guardCode(""), "PLUGIN_UNDECLARED_TAP"],
  [
    "gives a tool that must answer at once",
    toolFacts,
    toolCode("").replace("async run(", "standsFor() {}, async run("),
    "ISOLATED_MEMBER",
  ],
  [
    "fails in its setup",
    toolFacts,
    toolCode("").replace("setup(host) {", "$& throw new Error('no')"),
    "PLUGIN_SETUP_FAILED",
  ],
  ["cannot be loaded", toolFacts, "throw new Error('no')", "PLUGIN_IMPORT_FAILED"],
])("ISO-01: the service does not start with a plugin that %s", { timeout }, async (_, facts, code, error) => {
  await expect(startIsolated(written(facts, code))).rejects.toMatchObject({ code: error });
});

const config = {
  type: "object",
  properties: {
    plugins_config: {
      type: "object",
      properties: {
        "tool-tried": {
          type: "object",
          additionalProperties: false,
          properties: { greeting: { type: "string", default: "Hello", description: "The first word." } },
        },
      },
    },
  },
};

const shared = (keys: object) => ({ type: "object", properties: keys });
test.each([
  ["the root", shared({ api_key: { type: "string" } }), "api_key"],
  [
    "a shared table",
    shared({ channels: shared({ bot: shared({ token: { type: "string" } }) }) }),
    "channels",
  ],
  ["another plugin", shared({ plugins_config: shared({ other: shared({}) }) }), "other"],
])("ISO-01: a package that states keys of %s is refused", async (_, config, key) => {
  const made = isolated(written({ ...toolFacts, name: "tool-tried", config }, toolCode("")));
  await expect(made).rejects.toMatchObject({ code: "ISOLATED_FACTS", message: expect.stringContaining(key) });
});

/** A home whose config.toml names a plugin with a key by its file. */
function home(text: string, facts: object = { ...toolFacts, name: "tool-tried", config }) {
  const made = tempDir("");
  const folder = path.join(made.dir, "tried");
  mkdirSync(folder);
  const code = toolCode("return `${host.config.greeting}, ${process.pid}`;").replace(
    "provides",
    `config: Type.Object({ greeting: Type.String({ default: "Hello", description: "The first word." }) }), provides`,
  );
  writeFileSync(path.join(folder, "index.js"), `import { Type } from "typebox";\n${code}`);
  const stated = { name: "gantry-plugin-tried", type: "module", exports: "./index.js", gantry: facts };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(stated));
  writeFileSync(path.join(made.dir, "config.toml"), `isolated_plugins = ["./tried/index.js"]\n${text}`, {
    mode: 0o600,
  });
  return made;
}

test.runIf(linux)(
  "ISO-01: isolated_plugins names a plugin, whose keys are checked and told to it",
  { timeout },
  async () => {
    using made = home('plugins_config.tool-tried.greeting = "Good day"\n');
    const { out, err } = await gantry(["tools", "call", "tried", "{}", "--yes"], { dir: made.dir });
    expect({ out, err }).toEqual({ out: expect.stringMatching(/Good day, \d/), err: "" });
  },
);

test.runIf(linux)(
  "ISO-01: a key that an isolated plugin does not have stops the start",
  { timeout },
  async () => {
    using made = home('plugins_config.tool-tried.greting = "Good day"\n');
    const { code, err } = await gantry(["tools", "call", "tried", "{}"], { dir: made.dir });
    expect(err).toMatch(
      /unknown key `plugins_config.tool-tried.greting` \(did you mean .*CONFIG_UNKNOWN_KEY/,
    );
    expect(code).toBe(2);
  },
);

test.runIf(linux)(
  "ISO-01: a package that allows any key at the root lets no misspelled key pass",
  { timeout },
  async () => {
    const open = { ...config, additionalProperties: {} };
    using made = home('defualt_model = "demo"\n', { ...toolFacts, name: "tool-tried", config: open });
    const { code, err } = await gantry(["tools", "call", "tried", "{}"], { dir: made.dir });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("CONFIG_UNKNOWN_KEY") });
  },
);

test.runIf(linux)("ISO-01: doctor and status name each isolated plugin", { timeout }, async () => {
  using made = home("");
  for (const word of ["status", "doctor"])
    expect((await gantry([word], { dir: made.dir })).out).toMatch(
      /plugin tool-tried.*isolated in a walled process/,
    );
});

test.runIf(linux)(
  "ISO-01: a plugin that cannot run isolated stops the start with one sentence",
  { timeout },
  async () => {
    using made = home("", { provides: ["store"] });
    const { code, err } = await gantry(["tools", "call", "tried", "{}"], { dir: made.dir });
    expect(code).toBe(2);
    expect(err).toMatch(/The plugin tried cannot run isolated, as it provides the slot store.*ISOLATED_SLOT/);
  },
);

test.runIf(linux)(
  "ISO-01: an installed package runs isolated by its name, with the packages it imports",
  { timeout },
  async () => {
    using made = tempDir("");
    const packages = path.join(made.dir, "node_modules");
    const one = path.join(packages, "gantry-plugin-tried");
    const other = path.join(packages, "other");
    for (const folder of [one, other]) mkdirSync(folder, { recursive: true });
    const stated = { type: "module", exports: "./index.js" };
    writeFileSync(path.join(other, "package.json"), JSON.stringify({ ...stated, name: "other" }));
    writeFileSync(path.join(other, "index.js"), 'export const word = "imported";');
    const name = "gantry-plugin-tried";
    writeFileSync(path.join(one, "package.json"), JSON.stringify({ ...stated, name, gantry: toolFacts }));
    writeFileSync(path.join(one, "index.js"), toolCode("return word;", 'import { word } from "other";'));
    writeFileSync(path.join(made.dir, "config.toml"), 'isolated_plugins = ["tried"]\n', { mode: 0o600 });
    const { out, err } = await gantry(["tools", "call", "tried", "{}", "--yes"], { dir: made.dir });
    expect({ out: out.trim(), err }).toEqual({ out: expect.stringContaining("imported"), err: "" });
  },
);

test.runIf(linux)("ISO-01: a bundled plugin runs isolated by its name", { timeout }, async () => {
  using made = tempDir("");
  writeFileSync(path.join(made.dir, "config.toml"), 'isolated_plugins = ["redact-pii"]\n', { mode: 0o600 });
  expect((await gantry(["status"], { dir: made.dir })).out).toMatch(
    /plugin redact-pii.*isolated in a walled process/,
  );
});
