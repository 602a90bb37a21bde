import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Installation } from "../host/cli/installation.ts";
import { gantry, tempDir } from "./helpers/cli.ts";
import { startModel } from "./helpers/model.ts";

/** Starts what a file with this table starts, and stops it. */
async function started(id: string): Promise<void> {
  const plugins = ["net-undici", "provider-chat-completions", "provider-demo", "provider-router"];
  using home = tempDir(
    `plugins = ${JSON.stringify(plugins)}\n[providers.${JSON.stringify(id)}]\ntimeout_seconds = 5\n`,
  );
  const host = await new Installation(home.dir).start(() => {}, { debug: false, ready: false });
  await host.stop();
}

test.each([
  "custom",
  "custom:http://h/v1",
  "openai",
  "local-a",
  "local-a-server",
  "hosted",
  "hostedllm",
  "demo",
])("PRV-16: [providers.%s] is for a provider that is loaded", async (id) => {
  await expect(started(id)).resolves.toBeUndefined();
});

test.each([
  ["openia", "did you mean [providers.openai]?"],
  ["nobody-at-all-by-this-name", "write it as default_provider is written"],
  ["genlang", "no provider that is loaded"],
])("PRV-16: [providers.%s] is for nobody, which is said: %s", async (id, words) => {
  await expect(started(id)).rejects.toMatchObject({
    code: "PROVIDER_TABLE_UNKNOWN",
    message: expect.stringContaining(words),
  });
});

test("PRV-16: config set takes a key with a quoted part, writes it where it counts, and refuses one that is for nobody", async () => {
  await using model = await startModel("Hello.");
  const url = model.provider.replace("custom:", "");
  using home = tempDir(`# mine\ndefault_provider = "${model.provider}"\ndefault_model = "m"\n`);
  const run = { dir: home.dir };
  const key = `providers."custom:${url}".max_output_tokens`;
  expect(await gantry(["config", "set", key, "77"], run)).toMatchObject({ code: 0 });
  expect(readFileSync(path.join(home.dir, "config.toml"), "utf8")).toContain(
    `[providers."custom:${url}"]\nmax_output_tokens = 77`,
  );
  expect(await gantry(["config", "get", key], run)).toMatchObject({ code: 0, out: "77\n" });
  expect(await gantry(["agent", "-m", "hi"], run)).toMatchObject({ code: 0, out: "Hello.\n" });
  expect(model.requests[0]).toMatchObject({ max_tokens: 77 });
  const wrong = await gantry(["config", "set", "providers.openia.max_retries", "1"], run);
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("did you mean [providers.openai]?")]);
  const broken = await gantry(["config", "set", 'providers."custom', "1"], run);
  expect([broken.code, broken.err]).toEqual([2, expect.stringContaining("CONFIG_NO_KEY")]);
});

test.each([
  ["length", "cut off at its longest"],
  ["content_filter", "content filter ended the answer"],
])("PRV-16: an answer that ended by %s is printed, and that is said", async (reason, words) => {
  const body = (text: string): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: reason }] })}\n\ndata: [DONE]\n\n`;
  await using model = await startModel({
    raw: (response) =>
      void response.writeHead(200, { "content-type": "text/event-stream" }).end(body("Half an ans")),
  });
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n`);
  const plain = await gantry(["agent", "-m", "hi"], { dir: home.dir });
  expect([plain.code, plain.out, plain.err]).toEqual([0, "Half an ans\n", expect.stringContaining(words)]);
  const json = await gantry(["agent", "-m", "hi", "--json"], { dir: home.dir });
  expect([json.err, JSON.parse(json.out)]).toEqual(["", expect.objectContaining({ reply: "Half an ans" })]);
});

test("CTX-07: an answer without a word is said to be one, so that nobody looks at an empty screen", async () => {
  await using model = await startModel("");
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n`);
  const { code, err } = await gantry(["agent", "-m", "hi"], { dir: home.dir });
  expect([code, err]).toEqual([0, expect.stringContaining("The model ended without an answer (EndTurn)")]);
});

test("PRV-09: another value of SERVICE_RESPONSES_WEBSOCKET than 0 and 1 is said", async () => {
  await using model = await startModel("Hello.");
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n`);
  const { err } = await gantry(["agent", "-m", "hi"], {
    dir: home.dir,
    env: { SERVICE_RESPONSES_WEBSOCKET: "7" },
  });
  expect(err).toContain("SERVICE_RESPONSES_WEBSOCKET is neither 0 nor 1");
});
