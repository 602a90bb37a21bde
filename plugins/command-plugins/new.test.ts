import { execFile } from "node:child_process";
import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { installSdk, place, runNode } from "./plugins.test-kit.ts";

const kinds = [
  "audit",
  "budget",
  "channel",
  "chat-command",
  "command",
  "guard",
  "history",
  "memory",
  "observer",
  "prompt",
  "provider",
  "redactor",
  "route",
  "scheduler",
  "store",
  "tool",
  "tool-source",
];
/** They have a contract suite, which their tests run. */
const withContract = ["channel", "guard", "memory", "provider", "store", "tool", "tool-source"];
const root = path.join(import.meta.dirname, "../..");
const tsc = path.join(root, "node_modules/.bin/tsc");

test(
  "SDK-13: every kind of new plugin passes its own test, its own check and the types on a packed sdk, outside the repository",
  { timeout: 360_000 },
  async () => {
    await using p = await place();
    await installSdk(p.dir);
    const settings = new Set<string>();
    for (const kind of kinds) {
      const made = await p.gantry("plugins", "new", kind, `my-${kind}`);
      const folder = path.join(p.dir, `gantry-plugin-my-${kind}`);
      expect([made.code, made.stdout]).toEqual([0, `${folder}\n`]);
      const tested = await runNode(["--test", "--test-reporter=tap"], { cwd: folder });
      expect([kind, tested.code, tested.stdout.match(/^# fail .*$/m)?.[0]]).toEqual([kind, 0, "# fail 0"]);
      expect(Number(/^# pass (\d+)/m.exec(tested.stdout)?.[1])).toBeGreaterThan(
        withContract.includes(kind) ? 4 : 2,
      );
      settings.add(await readFile(path.join(folder, "tsconfig.json"), "utf8"));
      const facts = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as Record<
        string,
        unknown
      >;
      expect(facts).toMatchObject({
        name: `gantry-plugin-my-${kind}`,
        exports: "./index.ts",
        keywords: expect.arrayContaining(["gantry-plugin", `gantry-${kind}`]) as unknown,
      });
      expect(facts["peerDependencies"]).toMatchObject({
        "@gantry/sdk": expect.stringMatching(/^\^\d+\.\d+\.\d+$/) as string,
      });
      expect(await allText(folder)).not.toMatch(/\b(?:example|KIND|ABOUT)\b|0\.0\.0-sdk/);
      const checked = await p.gantry("plugins", "check", folder);
      expect([kind, checked.code, checked.stderr]).toEqual([kind, 0, ""]);
      expect(checked.stdout).toMatch(
        /^The plugin [\w-]+-my-[\w-]+ keeps all \d+ sentences of its contract\.\n$/,
      );
    }
    // All at once, since most of the work is the sdk's and Node's own types.
    expect(settings.size).toBe(1);
    const all = { extends: "./gantry-plugin-my-tool/tsconfig.json", include: ["gantry-plugin-my-*/**/*"] };
    await writeFile(path.join(p.dir, "tsconfig.json"), JSON.stringify(all));
    expect(await runNode([await realTsc(), "-p", p.dir])).toMatchObject({ code: 0, stdout: "" });
  },
);

async function realTsc(): Promise<string> {
  return (await import("node:fs/promises")).realpath(tsc);
}

async function allText(folder: string): Promise<string> {
  const files = await readdir(folder);
  return (await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")))).join("\n");
}

test(
  "SDK-03: a new plugin is checked and then used from its folder without a build",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    await installSdk(p.dir);
    await p.gantry("plugins", "new", "tool", "hello", "--dir", "work");
    const folder = path.join(p.dir, "work/gantry-plugin-hello");
    const checked = await p.gantry("plugins", "check", folder);
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("The plugin tool-hello keeps all") as string,
    });
    await writeFile(
      path.join(p.configDir, "config.toml"),
      `plugins = ["command-plugins", "${folder}/index.ts"]\n`,
    );
    const listed = await p.gantry("plugins", "list", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject({
      loaded: expect.arrayContaining([expect.objectContaining({ name: "tool-hello" })]) as unknown,
    });
    await writeFile(path.join(p.configDir, "config.toml"), "");
    await writeFile(
      path.join(folder, "tool.ts"),
      (await readFile(path.join(folder, "tool.ts"), "utf8")).replace("Greets a person by name.", ""),
    );
    await writeFile(
      path.join(folder, "package.json"),
      '{"type":"module","exports":"./index.ts","gantry":{"needs":["net"]}}',
    );
    const broken = await p.gantry("plugins", "check", folder);
    expect([broken.code, broken.stderr]).toEqual([1, ""]);
    expect(broken.stdout).toContain("The plugin tool-hello does not start");
    expect(broken.stdout).toContain(
      "The plugin tool-hello states in its package.json that it needs net and provides nothing, " +
        "and its code needs nothing and provides tools: make them equal",
    );
  },
);

test("SDK-03: a wrong kind, a wrong name and a folder that is there are refused", async () => {
  await using p = await place();
  expect(await p.gantry("plugins", "new", "robot", "x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(kinds.join(", ")) as string,
  });
  expect(await p.gantry("plugins", "new", "tool", "../x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("PLUGINS_NAME") as string,
  });
  expect((await p.gantry("plugins", "new", "tool", "x")).code).toBe(0);
  expect(await p.gantry("plugins", "new", "tool", "x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("PLUGINS_EXISTS") as string,
  });
});

test(
  "SDK-12: a plugin with packages of its own is built into one file, packed, added and run",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    await installSdk(p.dir);
    for (const name of ["rolldown", "@rolldown"])
      await symlink(path.join(root, "node_modules", name), path.join(p.dir, "node_modules", name));
    await p.gantry("plugins", "new", "tool", "packed", "--bundle");
    const folder = path.join(p.dir, "gantry-plugin-packed");
    // A package as many are: CommonJS, which needs Node itself.
    const own = path.join(folder, "node_modules/shouting");
    await mkdir(own, { recursive: true });
    await writeFile(path.join(own, "package.json"), '{"name":"shouting","version":"1.0.0"}');
    await writeFile(
      path.join(own, "index.js"),
      'const { EOL } = require("node:os"); module.exports = (text) => text.toUpperCase() + EOL.length;',
    );
    const tool = await readFile(path.join(folder, "tool.ts"), "utf8");
    const shouting = `// @ts-expect-error: it has no types\nimport shout from "shouting";\n${tool}`;
    await writeFile(
      path.join(folder, "tool.ts"),
      shouting.replace("`${greeting}, ${args.name}!`", "shout(`${greeting}, ${args.name}!`)"),
    );
    expect(await runNode(["build.mjs"], { cwd: folder })).toMatchObject({ code: 0 });
    const packed = await npm(folder, "pack", "--ignore-scripts", "--pack-destination", p.dir);
    expect(packed.code).toBe(0);
    const added = await p.gantry(
      "plugins",
      "add",
      path.join(p.dir, "gantry-plugin-packed-0.1.0.tgz"),
      "--yes",
    );
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining("packed") as string]);
    await writeFile(path.join(p.configDir, "config.toml"), 'extra_plugins = ["packed"]\n');
    const called = await p.gantry("tools", "call", "packed", '{"name":"Ada"}', "--yes");
    expect(called).toMatchObject({ code: 0, stdout: "HELLO, ADA!1\n" });
  },
);

function npm(cwd: string, ...args: readonly string[]): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    execFile("npm", args, { cwd }, (error, stdout) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout }),
    );
  });
}
