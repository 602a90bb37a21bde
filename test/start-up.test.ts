import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, root, said, startGantry } from "./helpers/cli.ts";
import { startModel } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/**
 * Parts of Node that a turn without tools needs none of, each dear to load; `_http_server` stands
 * for all of HTTP.
 */
const dear = [
  "internal/deps/undici/undici",
  "_http_server",
  "http2",
  "tls",
  "zlib",
  "internal/webstreams/readablestream",
  "stream/consumers",
  "readline",
  "assert",
];

/**
 * Files of Gantry's own, as the build names them, that belong to a service or to a tool that runs.
 */
const later = ["provide-browser", "walk", "walls", "backup", "lane-workers", "claimed-messages"];

test("OPS-04: one turn from the shell loads no part of Node that it does not use", async () => {
  await using model = await startModel("Hello.");
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n`);
  const list = path.join(home.dir, "loaded.txt");
  const env = { NODE_OPTIONS: `--require=${listing(home.dir, list)}` };
  expect(await gantry(["agent", "-m", "hi"], { dir: home.dir, env })).toMatchObject({ out: "Hello.\n" });
  const loaded = new Set(readFileSync(list, "utf8").split("\n"));
  expect(loaded.size).toBeGreaterThan(100);
  expect(dear.filter((name) => loaded.has(`NativeModule ${name}`))).toEqual([]);
});

test("OPS-04: a gateway that serves loads no second client of HTTP, which Node has within", async () => {
  using home = tempDir("[gateway]\nport = 0\n");
  const list = path.join(home.dir, "loaded.txt");
  const { child, ended } = startGantry(["gateway"], {
    dir: home.dir,
    env: { NODE_OPTIONS: `--require=${listing(home.dir, list)}` },
  });
  await said(child, "stderr", /Gantry is ready/);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
  const loaded = readFileSync(list, "utf8").split("\n");
  expect(loaded).toContain("NativeModule _http_server");
  expect(loaded).not.toContain("NativeModule internal/deps/undici/undici");
});

test("OPS-04: one turn from the shell loads nothing of Gantry that only services and running tools need", async () => {
  await using model = await startModel("Hello.");
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n`);
  const told = path.join(home.dir, "scripts");
  const env = { NODE_V8_COVERAGE: told };
  expect(await gantry(["agent", "-m", "hi"], { dir: home.dir, env })).toMatchObject({ out: "Hello.\n" });
  const loaded = readdirSync(told).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(path.join(told, file), "utf8")) as {
      result: readonly { readonly url: string }[];
    };
    return result.map(({ url }) => nameOf(url));
  });
  const built = readdirSync(path.join(root, "host/dist"), { recursive: true, encoding: "utf8" }).map(nameOf);
  expect(later.filter((name) => !built.includes(name))).toEqual([]);
  expect(loaded).toContain("host");
  expect(later.filter((name) => loaded.includes(name))).toEqual([]);
});

/** A file for `--require`: the process writes down in `list` what it has loaded of Node. */
function listing(dir: string, list: string): string {
  const file = path.join(dir, "tell.cjs");
  const write = `require("node:fs").writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join("\\n"))`;
  writeFileSync(file, `process.on("exit", () => ${write});`);
  return file;
}

/** Returns the name of a built file, without the hash of its contents. */
function nameOf(file: string): string {
  return path.basename(file, ".js").replace(/-[\w-]{8}$/, "");
}
