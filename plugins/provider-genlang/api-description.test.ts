import { createMemoryMedia } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { type ChatRequest, textParts } from "@gantry/sdk";
import { CarriedMedia } from "@gantry/sdk/provider";
import type { ChatMessage, ProviderEvent } from "@gantry/sdk";
import { readAnswer } from "./answer.ts";
import { toBody } from "./body.ts";

/**
 * Field and enum names of the vendor's published description of v1beta (GenerateContentRequest and
 * what it holds).
 */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  request: [
    "model",
    "systemInstruction",
    "contents",
    "tools",
    "toolConfig",
    "safetySettings",
    "generationConfig",
    "cachedContent",
  ],
  content: ["parts", "role"],
  part: [
    "text",
    "inlineData",
    "functionCall",
    "functionResponse",
    "fileData",
    "executableCode",
    "codeExecutionResult",
    "thought",
  ],
  blob: ["mimeType", "data"],
  config: [
    "candidateCount",
    "stopSequences",
    "maxOutputTokens",
    "temperature",
    "topP",
    "topK",
    "seed",
    "thinkingConfig",
  ],
};
const FINISH_REASONS = [
  "FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL",
  "IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_OTHER NO_IMAGE IMAGE_RECITATION UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS",
].flatMap((line) => line.split(" "));

const known = (kind: string, value: object): void =>
  expect(FIELDS[kind]).toEqual(expect.arrayContaining(Object.keys(value)));

test("GEN-01: every field of a request stands in the vendor's description, a part holds one kind of data, roles are user and model", async () => {
  const media = createMemoryMedia();
  const picture = await media.put(Buffer.from("iVBORw0K", "base64"), { mime: "image/png" });
  const messages: readonly ChatMessage[] = [
    { role: "system", parts: textParts("Be brief.") },
    { role: "user", parts: [...textParts("a"), { type: "media", media: picture }, ...textParts("b")] },
    { role: "assistant", parts: textParts(""), toolCalls: [{ id: "1", name: "t", args: "{}" }] },
    { role: "tool", callId: "1", name: "t", parts: textParts("done"), failed: false },
    { role: "user", parts: textParts("") },
  ];
  const request: ChatRequest = {
    model: undefined,
    messages,
    tools: [],
    temperature: 0.5,
    effort: "low",
    media: ({ id }) => media.open(id),
    session: "s",
    signal: new AbortController().signal,
  };
  const body = toBody(request, await CarriedMedia.of(request, ["image/*"]), {
    effort: "high",
    send_temperature: true,
  });
  expect(body.generationConfig?.thinkingConfig).toEqual({ thinkingBudget: 1_024 });
  known("request", body);
  known("config", body.generationConfig ?? {});
  expect(body.contents.map(({ role }) => role)).toEqual(["user", "model", "user"]);
  for (const content of [...body.contents, body.systemInstruction ?? { parts: [] }]) {
    known("content", content);
    expect(content.parts.length).toBeGreaterThan(0);
    for (const part of content.parts) {
      known("part", part);
      expect(Object.keys(part)).toHaveLength(1);
      known("blob", "inlineData" in part ? part.inlineData : {});
      expect(part).not.toEqual({ text: "" });
    }
  }
});

test.each(FINISH_REASONS)(
  "GEN-03: the finish reason %s ends an answer with one event, with and without text",
  async (finishReason) => {
    for (const parts of [[{ text: "x" }], []]) {
      const body = JSON.stringify({ candidates: [{ content: { parts }, finishReason }] });
      const response = new Response(body, { headers: { "content-type": "application/json" } });
      const events: ProviderEvent[] = [];
      for await (const event of readAnswer(response, "m", [])) events.push(event);
      const ends = events.filter(({ type }) => type === "stop" || type === "error");
      expect(ends).toHaveLength(1);
      expect(events.at(-1)).toBe(ends[0]);
    }
  },
);
