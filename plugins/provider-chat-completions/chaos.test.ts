import { LLMock } from "@copilotkit/aimock";
import { expect, test } from "vitest";
import { collect, provider, request, textOf } from "./chat.test-kit.ts";

const TURNS = process.env.GANTRY_LONG ? 400 : 40;
const SAID = "The quick brown fox jumps over the lazy dog, and does so once.";

test.each([
  ["chat-completions", "0"],
  ["responses", "0"],
  ["responses", "1"],
  ["responses", ""],
])(
  "PRV-15: %s (SERVICE_RESPONSES_WEBSOCKET=%s) under chaos: every turn ends once, in the answer or one clear error, no text twice",
  async (api, choice) => {
    const mock = await LLMock.create({ port: 0 });
    const chaos = { dropRate: 0.1, malformedRate: 0.15, rateLimitRate: 0.15, disconnectRate: 0.15 };
    mock.onMessage("cut", { content: SAID }, { chunkSize: 5, truncateAfterChunks: 7 });
    mock.onMessage("fox", { content: SAID }, { chunkSize: 5, chaos });
    await using p = provider(
      `custom:${mock.url}/v1`,
      { provider_api: api, api_key: "canary-key" },
      { SERVICE_RESPONSES_WEBSOCKET: choice },
    );
    const ends = new Map<string, number>();
    const turn = async (i: number): Promise<void> => {
      const events = await collect(p, request(i % 8 === 7 ? "cut" : "fox", { session: `s${i % 5}` }));
      const last = events.at(-1);
      const text = textOf(events);
      expect(SAID.startsWith(text)).toBe(true);
      expect(events.filter((event) => event.type === "stop" || event.type === "error")).toEqual([last]);
      expect(last?.type === "stop" ? text : SAID).toBe(SAID);
      const end = last?.type === "error" ? last.failure.code : "answer";
      expect(JSON.stringify(last)).not.toContain("canary");
      ends.set(end, (ends.get(end) ?? 0) + 1);
    };
    for (let i = 0; i < TURNS; i += 5) await Promise.all([0, 1, 2, 3, 4].map((more) => turn(i + more)));
    expect([...ends.values()].reduce((sum, count) => sum + count, 0)).toBe(TURNS);
    expect(ends.get("answer") ?? 0).toBeGreaterThan(0);
    expect([...ends.keys()].filter((code) => code !== "answer" && !code.startsWith("PROVIDER_"))).toEqual([]);
    await mock.stop();
  },
);
