import { expect, test } from "vitest";
import { item, faults, readEvents, response } from "./open-responses.test-kit.ts";
import { start } from "./openai.test-kit.ts";

const thinks = { thoughts: "The sky scatters light.", text: "It is blue." };
const call = { thoughts: "Ask the clock.", text: "One moment.", calls: [{ name: "clock", args: {} }] };
const asked = { model: "gantry", input: "why?", reasoning: { summary: "auto" as const } };

const shapes = (output: readonly any[]): readonly unknown[] =>
  output.map((one) => [one.type, (one.summary ?? one.content)?.map(({ text }: any) => text).join("")]);

test("OAI-11: thoughts that are asked for stand before the answer, in the response and its copy", async () => {
  await using gateway = await start([thinks]);
  const { responses } = gateway.client;
  const made = await responses.create(asked);
  expect(shapes(made.output)).toEqual([
    ["reasoning", thinks.thoughts],
    ["message", thinks.text],
  ]);
  expect(made.output.flatMap((one) => faults(item, one))).toEqual([]);
  expect([faults(response, made), made.reasoning?.summary]).toEqual([[], "auto"]);
  expect((await responses.retrieve(made.id)).output).toEqual(made.output);
});

test("OAI-11: who does not ask for thoughts gets none, and their turn is told none", async () => {
  await using gateway = await start([thinks]);
  const { output } = await gateway.client.responses.create({ model: "gantry", input: "why?" });
  expect(shapes(output)).toEqual([["message", thinks.text]]);
});

test("OAI-11: the official client streams thoughts and answer in the order of the turn", async () => {
  await using gateway = await start([call, thinks]);
  const stream = gateway.client.responses.stream(asked);
  const told: string[] = [];
  stream.on("response.reasoning_summary_text.delta", ({ delta }) => told.push(`thought ${delta}`));
  stream.on("response.output_text.delta", ({ delta }) => told.push(`text ${delta}`));
  const made = await stream.finalResponse();
  expect(shapes(made.output)).toEqual([
    ["reasoning", call.thoughts],
    ["message", call.text],
    ["reasoning", thinks.thoughts],
    ["message", thinks.text],
  ]);
  expect(new Set(told.map((one) => one.split(" ")[0]))).toEqual(new Set(["thought", "text"]));
  expect(new Set(made.output.map(({ id }) => id)).size).toBe(4);
  const kept = await gateway.client.responses.retrieve(made.id);
  expect(shapes(kept.output)).toEqual(shapes(made.output));
  expect(kept.output.map(({ id }) => id)).toEqual(made.output.map(({ id }) => id));
});

test("OAI-11: each event of thoughts is one of the specification, without gaps", async () => {
  await using gateway = await start([call, thinks]);
  const { ask, token } = gateway;
  const { text } = await ask("/v1/responses", { body: { ...asked, stream: true }, token });
  const { events, wrong } = readEvents(text);
  expect(wrong).toEqual([]);
  expect(events.filter(({ type }) => type === "response.reasoning_summary_part.done")).toHaveLength(2);
});

test("OAI-11: items of reasoning that a client sends back are taken and shown to no model", async () => {
  await using gateway = await start([thinks, "ok"]);
  const { responses } = gateway.client;
  const { output } = await responses.create({ ...asked, store: false });
  const input = [...output, { role: "user" as const, content: "and at night?" }];
  const { output_text } = await responses.create({ model: "gantry", input: input as never });
  expect(output_text).toBe("ok");
  const sent = JSON.stringify(gateway.model.requests[1]?.messages);
  expect([sent.includes(thinks.text), sent.includes(thinks.thoughts)]).toEqual([true, false]);
});
