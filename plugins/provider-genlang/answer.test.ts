import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ProviderEvent } from "@gantry/sdk";
import { webResponse } from "@gantry/sdk/node";
import { readAnswer } from "./answer.ts";

const part = fc.oneof(
  fc.record({ text: fc.oneof(fc.string(), fc.jsonValue()), thought: fc.jsonValue() }, { requiredKeys: [] }),
  fc.jsonValue(),
);
const candidate = fc.oneof(
  fc.record(
    {
      content: fc.oneof(fc.record({ parts: fc.oneof(fc.array(part), fc.jsonValue()) }), fc.jsonValue()),
      finishReason: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const chunk = fc.oneof(
  fc.record(
    {
      candidates: fc.oneof(fc.array(candidate), fc.jsonValue()),
      usageMetadata: fc.oneof(
        fc.record({ promptTokenCount: fc.jsonValue(), candidatesTokenCount: fc.jsonValue() }),
        fc.jsonValue(),
      ),
      promptFeedback: fc.jsonValue(),
      error: fc.option(fc.jsonValue(), { nil: undefined, freq: 4 }),
      response: fc.option(fc.jsonValue(), { nil: undefined, freq: 4 }),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);

function streamOf(chunks: readonly unknown[], cut: number): Response {
  const bytes = new TextEncoder().encode(
    chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(""),
  );
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += cut) yield bytes.subarray(at, at + cut);
  }
  const headers = { "content-type": "text/event-stream" };
  return webResponse({ status: 200, headers, url: "", body: body() });
}

test(
  "PRV-15: whatever JSON a stream holds, however it is cut, its answer has whole events and one end",
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(chunk, { maxLength: 4 }),
        fc.integer({ min: 1, max: 64 }),
        async (chunks, cut) => {
          const events: ProviderEvent[] = [];
          for await (const event of readAnswer(streamOf(chunks, cut), "m", [])) events.push(event);
          expect(events.filter(({ type }) => type === "stop" || type === "error")).toHaveLength(1);
          expect(["stop", "error"]).toContain(events.at(-1)?.type);
          expect(events.every((event) => event.type !== "text" || typeof event.text === "string")).toBe(true);
          expect(
            events.every((event) => event.type !== "usage" || event.inputTokens + event.outputTokens >= 0),
          ).toBe(true);
        },
      ),
      { numRuns: process.env["GANTRY_LONG"] ? 20_000 : 500 },
    );
  },
);
