import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Commands, definePlugin } from "@gantry/sdk";
import type { CommandContext, Provider } from "@gantry/sdk";
import { memoryStore, startTestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import chat from "../provider-chat-completions/index.ts";
import plugin from "./index.ts";

/** A provider that can do no more than chat. */
const bare: Provider = {
  name: "bare",
  capabilities: { nativeToolCalling: false, vision: false, streaming: false },
  async *chat() {
    yield { type: "stop", reason: "EndTurn" };
  },
};
const bareProvider = definePlugin({
  name: "provider-bare",
  taps: ["resolveProvider"],
  setup(host) {
    host.hooks.resolveProvider.tap(({ provider }) => (provider === "bare" ? bare : undefined));
  },
});

async function start(config: Record<string, unknown> = {}) {
  const t = await startTestHost({ plugins: [net, chat, bareProvider, memoryStore(), plugin], config });
  const run = async (name: string, options: CommandContext["options"]) => {
    const out: string[] = [];
    const err: string[] = [];
    const exit = await t
      .slot(Commands)
      .get(name)!
      .run({
        args: [],
        options,
        out: (line) => void out.push(line),
        err: (line) => void err.push(line),
        interactive: false,
        signal: AbortSignal.timeout(60_000),
        serve: async () => 1,
      });
    return { exit, out, err };
  };
  return Object.assign(t, { run });
}

/** A model server that has nothing but a list, under the status it is set to. */
async function serve() {
  const asked: (string | undefined)[] = [];
  const state = { status: 200 };
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(state.status, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        data: ["small", "large", "small", "", "\u001b[2Jlarge", "a\nforged line"].map((id) => ({ id })),
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    provider: `custom:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    state,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("PRV-12: models refresh lists each name once and none that forges lines, and keeps the list, so that models list asks nobody", async () => {
  await using server = await serve();
  await using t = await start();
  const { provider } = server;
  const refreshed = await t.run("models refresh", { provider });
  expect(refreshed).toMatchObject({ exit: 0, out: ["small", "large"] });
  expect(refreshed.err[0]).toContain(`${provider} offers 2 models`);
  expect(await t.run("models list", { provider })).toMatchObject({ exit: 0, out: ["small", "large"] });
  expect(server.asked).toHaveLength(1);
});

test("PRV-12: --json prints one object: provider, models, refreshed", async () => {
  await using server = await serve();
  await using t = await start();
  const { provider } = server;
  const { out } = await t.run("models refresh", { provider, json: true });
  expect(out).toHaveLength(1);
  const printed = JSON.parse(out[0]!);
  expect(printed).toEqual({
    provider,
    models: ["small", "large"],
    refreshed: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  expect(JSON.parse((await t.run("models list", { provider, json: true })).out[0]!)).toEqual(printed);
});

test("PRV-12: a failed refresh says why and leaves the kept list alone", async () => {
  await using server = await serve();
  await using t = await start({ api_key: "canary-key" });
  const { provider } = server;
  await t.run("models refresh", { provider });
  server.state.status = 404;
  await expect(t.run("models refresh", { provider })).rejects.toMatchObject({
    exit: 1,
    message: expect.stringContaining("optional"),
  });
  server.state.status = 401;
  await expect(t.run("models refresh", { provider })).rejects.toMatchObject({ code: "PROVIDER_AUTH" });
  expect((await t.run("models list", { provider })).out).toEqual(["small", "large"]);
});

test("PRV-12: nothing kept, no list, and an unknown provider are each one sentence", async () => {
  await using t = await start();
  await expect(t.run("models list", { provider: "local-a" })).rejects.toThrow(
    /gantry models refresh --provider local-a/,
  );
  await expect(t.run("models refresh", { provider: "bare" })).rejects.toMatchObject({
    code: "MODELS_NO_LIST",
  });
  await expect(t.run("models refresh", { provider: "nobody" })).rejects.toMatchObject({
    code: "PROVIDER_UNKNOWN",
    exit: 2,
  });
});

test("CLI-01: warmup says what answers and where the credential is from, never the credential", async () => {
  await using server = await serve();
  await using t = await start({ default_provider: server.provider, api_key: "canary-key" });
  const { exit, out, err } = await t.run("warmup", { provider: server.provider });
  expect(exit).toBe(0);
  expect(out).toEqual([`${server.provider} answers and lists 2 models.`]);
  expect(err).toEqual([`Credential of ${server.provider}: config`]);
  expect(server.asked[0]).toBe("Bearer canary-key");
  expect(await t.run("warmup", { provider: "bare" })).toMatchObject({
    out: ["bare needs no warm-up."],
    err: ["Credential of bare: none"],
  });
});
