import { LLMock } from "@copilotkit/aimock";
import { expect, test } from "vitest";
import type { TurnEvent } from "@gantry/sdk";
import { memoryStore, startTestHost } from "@gantry/sdk/testing";
import type { TestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import router from "../provider-router/index.ts";
import plugin from "./index.ts";
import { home } from "./vendor.test-kit.ts";

const ANSWER = "The answer is forty-two, and it comes once.";
const TURNS = process.env["GANTRY_LONG"] ? 400 : 20;

/** A model server that nobody here wrote. */
async function modelServer(options: ConstructorParameters<typeof LLMock>[0] = {}) {
  const mock = new LLMock({ port: 0, chunkSize: 5, ...options });
  mock.onMessage(/answer/, { content: ANSWER, usage: { promptTokenCount: 9, candidatesTokenCount: 8 } });
  await mock.start();
  return { mock, [Symbol.asyncDispose]: () => mock.stop() };
}

function host(mock: LLMock): Promise<TestHost> {
  return startTestHost({
    plugins: [memoryStore(), net, router, plugin],
    config: {
      default_provider: "genlang",
      api_key: "CANARY-key",
      endpoints: { genlang_url: `${mock.url}/v1beta` },
      providers: { genlang: { retry_backoff_ms: 1, timeout_seconds: 2 } },
    },
  });
}

test("GEN-03: a whole turn against a model server nobody here wrote, in pieces, with usage", async () => {
  using _ = home();
  await using server = await modelServer();
  await using gantry = await host(server.mock);
  const deltas: string[] = [];
  const result = await gantry.ask("What is the answer?", {
    provider: "google",
    model: "gemini-x",
    onEvent: (event) => void (event.type === "delta" && deltas.push(event.text)),
  });
  expect(result).toMatchObject({ reply: ANSWER, provider: "genlang", stop_reason: "EndTurn" });
  expect(deltas.length).toBeGreaterThan(2);
  expect(result.usage).toEqual({ input_tokens: 9, output_tokens: 8, cached_tokens: 0, reasoning_tokens: 0 });
});

const CHAOS = { dropRate: 0.1, malformedRate: 0.15, rateLimitRate: 0.05, disconnectRate: 0.15 };

test(
  `PRV-15: of ${TURNS} turns against a server in chaos, each ends in the answer, once, or in one clear error`,
  { timeout: 300_000 },
  async () => {
    using _ = home();
    await using server = await modelServer({ chaos: CHAOS });
    const ends: { readonly reply: string; readonly shown: string; readonly error: string | undefined }[] = [];
    while (ends.length < TURNS) {
      // A new host has no memory of what failed, so a circuit that opened does not hide the rest.
      await using gantry = await host(server.mock);
      for (let turn = 0; turn < 10; turn++) {
        let shown = "";
        const onEvent = (event: TurnEvent): void => void (event.type === "delta" && (shown += event.text));
        const result = await gantry.ask("What is the answer?", {
          session: `s${turn}`,
          provider: "genlang",
          model: "gemini-x",
          onEvent,
        });
        ends.push({ reply: result.reply, shown, error: result.error?.message });
      }
      expect(JSON.stringify([gantry.logs, gantry.audit])).not.toContain("CANARY");
    }
    const answered = ends.filter(({ error }) => error === undefined);
    expect(new Set(answered.map(({ reply, shown }) => `${reply}|${shown}`))).toEqual(
      new Set([`${ANSWER}|${ANSWER}`]),
    );
    expect(answered.length).toBeGreaterThan(TURNS / 4);
    for (const { error, shown } of ends.filter((end) => end.error !== undefined)) {
      expect(error, "one sentence").toMatch(/^[^\n]{20,}[.!]$/);
      expect(error).not.toContain("CANARY");
      expect(ANSWER.startsWith(shown), "no text twice").toBe(true);
    }
  },
);
