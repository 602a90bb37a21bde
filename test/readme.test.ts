import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as channel from "@gantry/sdk/channel";
import * as provider from "@gantry/sdk/provider";
import * as testing from "@gantry/sdk/testing";

const root = path.join(import.meta.dirname, "..");
const pages = (await readdir(path.join(root, "sdk/docs"))).map((page) => `docs/${page}`);
const texts = ["README.md", ...pages].map((page) => readFile(path.join(root, "sdk", page), "utf8"));
const readme = (await Promise.all(texts)).join("\n");
const samples = [...readme.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, file = "", code = ""]) => ({
  file,
  code,
}));
const plugins = samples.map(({ file }) => file).filter((file) => !file.endsWith(".test.ts"));
/** The keys of samples that do not start without. */
const configs = {
  "pigeon.ts": { plugins_config: { "channel-pigeon": { url: "https://pigeons.example", token: "t0ken" } } },
};
let folder = "";

function node(...args: readonly string[]): Promise<{ code: number; output: string }> {
  const { PATH = "", HOME = "" } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env: { PATH, HOME } }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

/** Names of types leave no trace at run time, so they are read from the sources. */
async function types(directory: string): Promise<string[]> {
  const index = await readFile(path.join(root, directory, "index.ts"), "utf8");
  const files = [...index.matchAll(/from "\.\/(.+)"/g)].map(([, file = ""]) =>
    readFile(path.join(root, directory, file), "utf8"),
  );
  return (await Promise.all(files)).flatMap((code) =>
    [...code.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = ""]) => name),
  );
}

/** Returns the names, types among them, of a door that picks them. */
async function picked(door: string): Promise<string[]> {
  const text = await readFile(path.join(root, "sdk", door), "utf8");
  return [...text.matchAll(/^export (?:type )?\{([^{}]*)\} from/gm)]
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "");
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(await realpath(tmpdir()), "gantry-readme-"));
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  const compilerOptions = { incremental: false, tsBuildInfoFile: null, noUnusedLocals: true };
  await writeFile(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({ extends: path.join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"] }),
  );
  for (const { file, code } of samples) await writeFile(path.join(folder, file), code);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("SDK-05: the samples of the documentation compile as they stand", { timeout: 300_000 }, async () => {
  expect(plugins.length).toBeGreaterThan(5);
  const tsc = await realpath(path.join(root, "node_modules/.bin/tsc"));
  expect(await node(tsc, "-p", folder)).toEqual({ code: 0, output: "" });
});

test("SDK-05: the tests of the documentation pass under node:test", { timeout: 300_000 }, async () => {
  const { code, output } = await node("--conditions=gantry-source", "--test", "--test-reporter=tap");
  expect([code, output.match(/^# fail .*$/m)?.[0]]).toEqual([0, "# fail 0"]);
  expect(Number(/^# pass (\d+)/m.exec(output)?.[1])).toBeGreaterThan(50);
});

test(
  "SDK-05: the plugins of the documentation keep the contract of their kind",
  { timeout: 300_000 },
  async () => {
    const script = `
    import { checkPlugin } from "@gantry/sdk/testing";
    const configs = ${JSON.stringify(configs)};
    for (const file of ${JSON.stringify(plugins.filter((file) => file !== "keep.ts"))}) {
      const { default: plugin } = await import("./" + file);
      const checked = await checkPlugin({ plugin, config: configs[file] });
      for (const { message } of checked.findings) console.log(message);
    }`;
    await writeFile(path.join(folder, "all.mjs"), script);
    expect(await node("--conditions=gantry-source", "all.mjs")).toEqual({ code: 0, output: "" });
  },
);

test("SDK-05: every member of the sdk, of its kits for providers and channels, and of its test kit is described", async () => {
  const all = [
    ...(await picked("index.ts")),
    ...(await picked("fill.ts")),
    ...Object.keys(provider),
    ...Object.keys(channel),
    ...Object.keys(testing),
    ...(await types("sdk/provider-kit")),
    ...(await types("sdk/channel-kit")),
    ...(await types("sdk/testing")),
  ];
  const missing = [...new Set(all)].filter((name) => !new RegExp(`\\b${name}\\b`).test(readme));
  expect(missing).toEqual([]);
});

test("HSE-03: the start page of the sdk leads to each page beside it", async () => {
  const start = await readFile(path.join(root, "sdk/README.md"), "utf8");
  const links = [...start.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, page = ""]) => page);
  expect(new Set(links)).toEqual(new Set(pages));
  expect(start.split("\n").length).toBeLessThan(200);
});
