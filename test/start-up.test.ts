import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry } from "./helpers/cli.ts";
import { startModel } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** Parts of Node that a turn without tools needs none of, each dear to load; `_http_server` stands for all of HTTP. */
const dear = [
  "internal/deps/undici/undici",
  "_http_server",
  "http2",
  "tls",
  "zlib",

  "readline",
  "v8",
];

test("OPS-04: one turn from the shell loads no part of Node that it does not use", async () => {
  await using model = await startModel("Hello.");
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n`);
  const list = path.join(home.dir, "loaded.txt");
  const tell = path.join(home.dir, "tell.cjs");
  writeFileSync(
    tell,
    `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join("\\n")));`,
  );
  const env = { NODE_OPTIONS: `--require=${tell}` };
  expect(await gantry(["agent", "-m", "hi"], { dir: home.dir, env })).toMatchObject({ out: "Hello.\n" });
  const loaded = new Set(readFileSync(list, "utf8").split("\n"));
  expect(loaded.size).toBeGreaterThan(100);
  expect(dear.filter((name) => loaded.has(`NativeModule ${name}`))).toEqual([]);
});
