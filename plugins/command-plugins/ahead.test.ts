import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { codeOf, packageOf, place, type Place } from "./plugins.test-kit.ts";

const root = path.join(import.meta.dirname, "../..");
const input = { type: "object", properties: {} };
const tools = [{ name: "weather", description: "The weather.", input }];
const unit = { type: "string", enum: ["C", "F"], description: "Degrees." };
const table = { type: "object", properties: { unit }, additionalProperties: false };
const config = {
  type: "object",
  properties: { plugins_config: { type: "object", properties: { weather: table } } },
};
const stated = { sdk: 3, provides: ["tools"], config, tools };

/** A folder with the package, whose code leaves a file behind where it is loaded. */
async function packageIn(p: Place, gantry: object, more = ""): Promise<string> {
  const folder = path.join(p.dir, "weather");
  await mkdir(folder);
  const facts = { name: "gantry-plugin-weather", type: "module", exports: "./index.js", gantry };
  await writeFile(path.join(folder, "package.json"), JSON.stringify(facts));
  const ran = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(path.join(p.dir, "ran"))}, "");`;
  const code = codeOf(["tools"]).replace("setup:", `${more} setup:`);
  await writeFile(path.join(folder, "index.js"), `${ran} ${code}`);
  return folder;
}
const ownConfig = `config: { type: "object", required: ["unit"], properties: { unit: { ...${JSON.stringify(unit)}, default: "C" } } },`;

test("SDK-06: plugins check names the tools and keys that a package states other than its code does", async () => {
  await using p = await place();
  const other = [
    { ...tools[0], description: "Rain." },
    { ...tools[0], name: "rain" },
  ];
  const folder = await packageIn(p, { ...stated, tools: other }, ownConfig);
  const { code, stdout } = await p.gantry("plugins", "check", folder);
  expect([code, stdout.trim().split("\n")]).toEqual([
    1,
    [
      expect.stringContaining(
        "states `gantry.tools` (weather, rain) in its package.json other than its code",
      ),
      expect.stringContaining("states `gantry.config` (plugins_config.weather.unit) in its package.json"),
    ],
  ]);
});

test("SDK-06: the facts that plugins check prints are the ones that it asks for", async () => {
  await using p = await place();
  const folder = await packageIn(p, { sdk: 3, provides: ["tools"] }, ownConfig);
  const { facts } = JSON.parse((await p.gantry("plugins", "check", folder, "--json")).stdout);
  const file = path.join(folder, "package.json");
  const whole = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...whole, gantry: { ...whole.gantry, ...facts } }));
  expect(await p.gantry("plugins", "check", folder)).toMatchObject({ code: 0 });
});

test("SDK-06: plugins check --stated reads the package and runs none of its code", async () => {
  await using p = await place();
  const folder = await packageIn(p, stated);
  const { code, stdout } = await p.gantry("plugins", "check", folder, "--stated", "--json");
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      ok: true,
      package: "gantry-plugin-weather",
      findings: [],
      tools,
      keys: ["plugins_config.weather.unit"],
    },
  ]);
  expect(existsSync(path.join(p.dir, "ran"))).toBe(false);
});

test.each([
  ['[plugins_config.weather]\nunit = "K"', "`plugins_config.weather.unit` must be"],
  ['[plugins_config.weather]\nunits = "C"', "`plugins_config.weather` knows no `units`"],
])("SDK-06: plugins check --stated holds the keys %j to the stated schema", async (text, words) => {
  await using p = await place();
  const folder = await packageIn(p, stated);
  const keys = path.join(p.dir, "keys.toml");
  await writeFile(keys, `default_model = "m"\n${text}\n`);
  const { code, stdout } = await p.gantry("plugins", "check", folder, "--stated", "--config", keys);
  expect([code, stdout]).toEqual([1, expect.stringContaining(words)]);
  await writeFile(keys, '[plugins_config.weather]\nunit = "F"\n');
  expect((await p.gantry("plugins", "check", folder, "--stated", "--config", keys)).code).toBe(0);
  expect(existsSync(path.join(p.dir, "ran"))).toBe(false);
});

test("SDK-06: plugins add shows the tools and keys of a package before any of its code runs", async () => {
  await using p = await place();
  await writeFile(path.join(p.dir, "weather.tgz"), packageOf({ gantry: stated }));
  const { stderr } = await p.gantry("plugins", "add", "./weather.tgz", "--yes");
  expect(stderr).toMatch(/^ {2}tools {4}weather\n {2}keys {5}plugins_config\.weather\.unit$/m);
});

test.each([
  [{ tools: ["weather"] }, "is not a list of tools"],
  [{ tools: [{ ...tools[0], name: "a b" }] }, "is not a list of tools"],
  [{ config: { type: "object" } }, "is not the JSON Schema of an object"],
])("SDK-06: a package that states %j ahead is not added", async (wrong, words) => {
  await using p = await place();
  await writeFile(path.join(p.dir, "weather.tgz"), packageOf({ gantry: { ...stated, ...wrong } }));
  expect(await p.gantry("plugins", "add", "./weather.tgz", "--yes")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(words),
  });
});

test("SDK-06: the example tool-weather states ahead what its code says", async () => {
  await using p = await place();
  const example = path.join(root, "examples/tool-weather");
  const { facts, ok } = JSON.parse((await p.gantry("plugins", "check", example, "--json")).stdout);
  const { gantry } = JSON.parse(await readFile(path.join(example, "package.json"), "utf8"));
  expect([ok, facts]).toEqual([true, { config: gantry.config, tools: gantry.tools }]);
});
