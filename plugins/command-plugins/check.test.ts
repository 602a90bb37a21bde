import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { codeOf, installSdk, place } from "./plugins.test-kit.ts";

test(
  "SDK-05: a check says what a plugin does to its process, prints nothing of it among its answer, and looks inside its folder alone",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    const put = async (file: string, text: string): Promise<string> => {
      await mkdir(path.join(p.dir, path.dirname(file)), { recursive: true });
      await writeFile(path.join(p.dir, file), text);
      return file;
    };
    const quits = await p.gantry("plugins", "check", await put("quits.mjs", "process.exit(0);"));
    expect(quits).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/quits\.mjs ended its process .*PLUGIN_QUIT/) as string,
    });
    const loud = await p.gantry(
      "plugins",
      "check",
      await put(
        "loud.mjs",
        'console.log("noise");\nexport default { name: "loud", sdk: 3, summary: "Loud.", setup() {} };',
      ),
      "--json",
    );
    expect(JSON.parse(loud.stdout)).toMatchObject({ ok: true, plugin: "loud", findings: [] });
    expect(loud.stderr).toContain("noise");
    const needy = await put(
      "needy.mjs",
      `const config = { type: "object", required: ["url"], properties: { url: { type: "string", description: "A server." } } };
export default { name: "needy", sdk: 3, summary: "Needy.", config, setup(host) { if (host.config.url !== "x") throw new Error("no"); } };`,
    );
    expect(await p.gantry("plugins", "check", needy)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("misses `url`") as string,
      stderr: expect.stringContaining("--config FILE") as string,
    });
    const idle = await put(
      "idle.mjs",
      'export default { name: "idle", sdk: 3, summary: "Idle.", setup() { throw new Error("The channel idle lacks a token: set it."); } };',
    );
    const lacking = await p.gantry("plugins", "check", idle);
    expect([lacking.code, lacking.stderr]).toEqual([1, expect.stringContaining("--config FILE")]);
    const keys = await put("keys.toml", '[plugins_config.needy]\nurl = "x"\n');
    expect(await p.gantry("plugins", "check", needy, "--config", keys)).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect((await p.gantry("plugins", "check", needy, "--config", "none.toml")).stderr).toMatch(/none\.toml/);
    for (const facts of ["{", "null", "[]"]) {
      await put("torn/index.mjs", codeOf(["tools"]));
      await put("torn/package.json", facts);
      for (const what of ["torn", "torn/index.mjs"])
        expect(await p.gantry("plugins", "check", what)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining("PLUGINS_BAD_FACTS") as string,
        });
    }
    await put("torn/package.json", '{"exports":"./index.mjs","gantry":"tools"}');
    const stated = await p.gantry("plugins", "check", "torn");
    expect([stated.code, stated.stdout]).toEqual([
      1,
      expect.stringContaining("something else than lists of names: write needs"),
    ]);
    await put("torn/package.json", '{"exports":"./index.mjs","gantry":{"base":true}}');
    expect((await p.gantry("plugins", "check", "torn")).stdout).not.toContain("states");
    await put("torn/package.json", '{"exports":"./index.mjs","gantry":{}}');
    expect((await p.gantry("plugins", "check", "torn")).stdout).toContain("that it provides nothing");
    await put("away/package.json", '{"exports":"./index.mjs"}');
    await symlink(path.join(p.dir, "loud.mjs"), path.join(p.dir, "away/index.mjs"));
    expect(await p.gantry("plugins", "check", "away")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("PLUGINS_NO_ENTRY") as string,
    });
  },
);

test(
  "SDK-05: a check fills what a plugin needs with the plugins named beside it, and says where a slot stays empty",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    await installSdk(p.dir);
    const slot = 'import { definePlugin, one } from "@gantry/sdk";\nconst Clock = one("test-clock");\n';
    await writeFile(
      path.join(p.dir, "late.mjs"),
      `${slot}export default definePlugin({ name: "late", summary: "Late.", needs: { clock: Clock }, setup(host) { host.needs.clock.now(); } });`,
    );
    await writeFile(
      path.join(p.dir, "clock.mjs"),
      `${slot}export default definePlugin({ name: "clock", summary: "A clock.", provides: [Clock], setup(host) { host.provide(Clock, { now: () => 1 }); } });`,
    );
    const alone = await p.gantry("plugins", "check", "late.mjs");
    expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining("no plugin fills it")]);
    expect(alone.stderr).toContain("--with PATH");
    const keys = path.join(p.dir, "keys.toml");
    await writeFile(keys, 'extra_plugins = ["./clock.mjs"]\n');
    const both = await p.gantry("plugins", "check", "late.mjs", "--with", "clock.mjs", "--config", keys);
    expect([both.code, both.stdout]).toEqual([0, expect.stringContaining("The plugin late keeps all")]);
    expect(both.stderr).toBe(
      `What ${keys} says in \`extra_plugins\` is not read for a check: name each plugin beside this one by --with PATH.\n`,
    );
  },
);

/** Writes a plugin's package and gives its folder. */
async function packed(dir: string, facts: object, code: string): Promise<string> {
  const folder = path.join(dir, "packed");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "package.json"), JSON.stringify(facts));
  await writeFile(path.join(folder, "index.mjs"), code);
  await writeFile(path.join(folder, "index.js"), code);
  return folder;
}

const wall = (enforces: readonly string[]): string =>
  `export default { name: "wall", sdk: 3, summary: "A wall.", taps: ["beforeToolCall"],
  enforces: ${JSON.stringify(enforces)},
  setup(host) { host.hooks.beforeToolCall.tap(() => undefined); } };`;
const level = "agent.autonomy_level";

test.each<[string, readonly string[], readonly string[], string]>([
  ["takes the same keys", [level], [level], "keeps all"],
  ["tells of keys that only the package has", [level], [], "its code enforces nothing: make them"],
  ["tells of keys that only the code has", [], [level], `its code enforces ${level}: make them`],
])(
  "SDK-05: a check of what a plugin enforces %s",
  { timeout: 300_000 },
  async (_, inPackage, inCode, words) => {
    await using p = await place();
    const gantry = { taps: ["beforeToolCall"], enforces: inPackage };
    const folder = await packed(p.dir, { type: "module", exports: "./index.mjs", gantry }, wall(inCode));
    const { code, stdout } = await p.gantry("plugins", "check", folder);
    expect(stdout).toContain(words);
    expect(code).toBe(words === "keeps all" ? 0 : 1);
  },
);

test.each<[string, object, boolean]>([
  ["name a missing file", { exports: "./gone.mjs" }, false],
  ["name nothing", {}, false],
  ["name a file outside", { exports: "../outside.mjs" }, false],
  ["name a folder", { exports: "./lib" }, false],
  ["name a file in a folder", { exports: "./lib/index.mjs" }, true],
])("SDK-05: a check of a package whose exports %s", { timeout: 300_000 }, async (_, names, isRight) => {
  await using p = await place();
  const gantry = { taps: ["beforeToolCall"] };
  const folder = await packed(p.dir, { type: "module", ...names, gantry }, wall([]));
  await writeFile(path.join(p.dir, "outside.mjs"), wall([]));
  await mkdir(path.join(folder, "lib"));
  await writeFile(path.join(folder, "lib/index.mjs"), wall([]));
  const { code, stdout } = await p.gantry("plugins", "check", folder);
  expect([code, stdout.includes("its `exports` name no file in it")]).toEqual([isRight ? 0 : 1, !isRight]);
});

test(
  "SDK-05: a check compares a module in a folder of its package with that package",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    const facts = { type: "module", exports: "./lib/index.mjs", gantry: { needs: ["net"] } };
    const folder = await packed(p.dir, facts, wall([]));
    await mkdir(path.join(folder, "lib"));
    await writeFile(path.join(folder, "lib/index.mjs"), wall([]));
    expect((await p.gantry("plugins", "check", folder)).stdout).toContain("that it needs net");
  },
);
