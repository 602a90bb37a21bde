import { LLMock } from "@copilotkit/aimock";
import { expect, test } from "vitest";
import { collect, provider, request, textOf } from "./messages.test-kit.ts";

const TURNS = process.env.GANTRY_LONG ? 400 : 40;
const SAID = "The quick brown fox jumps over the lazy dog, and does so once.";

test("PRV-15: under chaos every turn ends once, in the answer or one clear error, no text twice", async () => {
  const mock = await LLMock.create({ port: 0 });
  const chaos = { dropRate: 0.1, malformedRate: 0.15, rateLimitRate: 0.15, disconnectRate: 0.15 };
  mock.onMessage("cut", { content: SAID }, { chunkSize: 5, truncateAfterChunks: 7 });
  mock.onMessage("fox", { content: SAID }, { chunkSize: 5, chaos });
  await using p = provider(mock.url, { api_key: "canary-key" });
  const ends: string[] = [];
  const turn = async (i: number): Promise<void> => {
    const events = await collect(p, request(i % 8 === 7 ? "cut" : "fox"));
    const last = events.at(-1);
    const text = textOf(events);
    expect(SAID.startsWith(text)).toBe(true);
    expect(events.filter((event) => event.type === "stop" || event.type === "error")).toEqual([last]);
    expect(last?.type === "stop" ? text : SAID).toBe(SAID);
    expect(JSON.stringify(last)).not.toContain("canary");
    ends.push(last?.type === "error" ? last.failure.code : "answer");
  };
  for (let i = 0; i < TURNS; i += 5) await Promise.all([0, 1, 2, 3, 4].map((more) => turn(i + more)));
  expect(ends).toHaveLength(TURNS);
  expect(ends).toContain("answer");
  expect(ends.filter((end) => end !== "answer" && !end.startsWith("PROVIDER_"))).toEqual([]);
  await mock.stop();
});
