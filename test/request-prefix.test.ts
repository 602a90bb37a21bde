import { ModelRouter } from "@gantry/sdk/fill";
import { textParts, type ChatMessage, type ChatRequest, type ToolSpec } from "@gantry/sdk";
import {
  createMemoryMedia,
  createMemoryStore,
  fakeNet,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { array, assert, asyncProperty, constantFrom, record, string } from "fast-check";
import { Type } from "typebox";
import { afterEach, expect, test, vi } from "vitest";
import router from "../plugins/provider-router/index.ts";
import { answerInEveryFormat as answer, formats, type FormatName } from "./helpers/formats.ts";

afterEach(() => vi.unstubAllEnvs());

type Body = Readonly<Record<string, unknown>>;

const blocksOf = (content: unknown): readonly object[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content as object[]);

/** A mark for the cache is not read as text. */
const unmarked = (block: object): object =>
  Object.fromEntries(Object.entries(block).filter(([key]) => key !== "cache_control"));

/** Returns the part of a body that is the conversation, piece by piece. */
const conversationOf: Readonly<Record<FormatName, (body: Body) => readonly unknown[]>> = {
  chat: (body) => body["messages"] as [],
  responses: (body) => body["input"] as [],
  messages: (body) =>
    (body["messages"] as { role: string; content: unknown }[]).flatMap(({ role, content }) =>
      blocksOf(content).map((block) => ({ role, ...unmarked(block) })),
    ),
  genlang: (body) => body["contents"] as [],
};

interface Turn {
  readonly said: string;
  readonly answers: readonly {
    readonly text: string;
    readonly calls: readonly { readonly args: string; readonly result: string; readonly failed: boolean }[];
  }[];
  /** A picture comes with what is said and with the results. */
  readonly picture: boolean;
  readonly reply: string;
}

const words = string({ unit: "grapheme", minLength: 1, maxLength: 40 });
const json = record({ path: words }).map((args) => JSON.stringify(args));
const aTurn = record({
  said: words,
  answers: array(
    record({
      text: words,
      calls: array(record({ args: json, result: words, failed: constantFrom(true, false) }), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
    { maxLength: 2 },
  ),
  picture: constantFrom(true, false),
  reply: words,
});
const conversation = array(aTurn, { minLength: 10, maxLength: 10 });
const tools: readonly ToolSpec[] = ["shell", "file_read", "clock"].map((name) => ({
  name,
  description: `The tool ${name}.`,
  input: Type.Object({ path: Type.String() }),
}));

/** Returns the messages that are sent before each answer of the model, oldest first. */
function requestsOf(turns: readonly Turn[], shot: ChatMessage["parts"]): readonly (readonly ChatMessage[])[] {
  const all: ChatMessage[] = [{ role: "system", parts: textParts("Be brief.") }];
  const requests: (readonly ChatMessage[])[] = [];
  let id = 0;
  for (const { said, answers, picture, reply } of turns) {
    all.push({ role: "user", parts: [...textParts(said), ...(picture ? shot : [])] });
    for (const { text, calls } of answers) {
      requests.push([...all]);
      const used = calls.map(({ args }) => ({ id: `call_${(id += 1)}`, name: "file_read", args }));
      all.push({ role: "assistant", parts: textParts(text), toolCalls: used });
      used.forEach(({ id: callId, name }, i) => {
        const { result, failed } = calls[i]!;
        all.push({
          role: "tool",
          callId,
          name,
          parts: [...textParts(result), ...(picture ? shot : [])],
          failed,
        });
      });
    }
    requests.push([...all]);
    all.push({ role: "assistant", parts: textParts(reply), toolCalls: [] });
  }
  return requests;
}

test.each(Object.keys(formats) as FormatName[])(
  "CACHE-01: in the format of %s, every request begins with the one before it, with tools and pictures, over ten turns and a restart",
  async (name) => {
    const { provider, plugin, config } = formats[name];
    const sentOf = conversationOf[name];
    vi.stubEnv("SERVICE_RESPONSES_WEBSOCKET", "0");
    const store = createMemoryStore();
    const media = createMemoryMedia();
    const picture = await media.put(new Uint8Array(60).fill(7), { mime: "image/png" });
    const network = fakeNet([{ url: /model\.test/, replies: [{ json: answer }] }]);
    const start = () =>
      startTestHost({ plugins: [network, plugin, router, memoryStore(store, media)], config: { ...config } });
    await using first = await start();
    await using second = await start();
    const send = async (host: typeof first, said: readonly ChatMessage[], offered: readonly ToolSpec[]) => {
      const request: Omit<ChatRequest, "model"> = {
        messages: said,
        tools: offered,
        temperature: 0.5,
        media: ({ id }) => media.open(id),
        session: "s",
        signal: new AbortController().signal,
      };
      const asked = network.requests.length;
      const find = () => host.resolveProvider({ provider, model: "m" });
      for await (const _ of host.slot(ModelRouter).chat({ provider, model: "m" }, request, find));
      const body = network.requests[asked]?.body;
      return JSON.parse(Buffer.from(body as Uint8Array).toString()) as Body;
    };
    await assert(
      asyncProperty(conversation, async (turns) => {
        let before: readonly unknown[] = [];
        let frame: string | undefined;
        for (const [i, said] of requestsOf(turns, [{ type: "media", media: picture }]).entries()) {
          const body = await send(i % 2 ? second : first, said, i % 2 ? tools : tools.toReversed());
          const sent = sentOf(body);
          expect(JSON.stringify(sent.slice(0, before.length))).toBe(JSON.stringify(before));
          expect(sent.length).toBeGreaterThan(before.length);
          const rest = JSON.stringify({ ...body, messages: 0, input: 0, contents: 0 });
          expect(rest).toBe((frame ??= rest));
          before = sent;
        }
      }),
      { numRuns: process.env["GANTRY_LONG"] ? 200 : 6 },
    );
  },
  60_000,
);

const turnOf = (text: string): ChatMessage[] => [
  { role: "user", parts: textParts(text) },
  { role: "assistant", parts: textParts(`re ${text}`), toolCalls: [] },
];

test("CACHE-02: in the messages format at most four marks for the cache, on the tools and on the last two turns of the person or the tools; a server that refuses them is asked without", async () => {
  const refuses = {
    status: 400,
    json: { error: { message: "cache_control: Extra inputs are not permitted" } },
  };
  const network = fakeNet([{ url: /model\.test/, replies: [{ json: answer }, refuses, { json: answer }] }]);
  await using t = await startTestHost({ plugins: [network, formats.messages.plugin] });
  const provider = await t.resolveProvider({ provider: "messages-custom:http://model.test", model: "m" });
  const said = [...turnOf("one"), ...turnOf("two"), ...turnOf("three").slice(0, 1)];
  const { signal } = new AbortController();
  const request = { model: "m", messages: said, tools, temperature: 0, session: "s", signal };
  for (let i = 0; i < 2; i += 1) for await (const _ of provider.chat(request));
  const bodies = network.requests.map(({ body }) => Buffer.from(body as Uint8Array).toString());
  expect(bodies.map((body) => body.split('"cache_control":{"type":"ephemeral"}').length - 1)).toEqual([
    3, 3, 0,
  ]);
  const { messages: sent, tools: offered } = JSON.parse(bodies[0]!) as Record<string, any[]>;
  expect(sent!.map(({ content }) => typeof content !== "string")).toEqual([false, false, true, false, true]);
  expect(offered!.map((tool) => "cache_control" in tool)).toEqual([false, false, true]);
});
