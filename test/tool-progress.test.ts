import { defineTool, type TurnEvent } from "@gantry/sdk";
import { fakeProvider, startTestHost, toolContract } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { gate, redactor, tool } from "./helpers/plugins.ts";

type Step = Extract<TurnEvent, { readonly type: "tool_progress" }>;

/** Keeps the steps of a turn, and waits for one. */
function watching() {
  const steps: Step[] = [];
  const waiting: { is: (step: Step) => boolean; resolve: () => void }[] = [];
  return {
    steps,
    onEvent: (event: TurnEvent): void => {
      if (event.type !== "tool_progress") return;
      steps.push(event);
      for (const { is, resolve } of waiting) if (is(event)) resolve();
    },
    until: (is: (step: Step) => boolean): Promise<void> =>
      new Promise((resolve) => void waiting.push({ is, resolve })),
  };
}

const model = () => fakeProvider([{ calls: [{ name: "count", args: {} }] }, "done"]);

test("SDK-15: a tool's progress reaches whoever watches the turn, under the model's own call id", async () => {
  const count = tool("count", async ({ progress }) => {
    progress?.({ done: 1, total: 3, text: "pages" });
    return "ok";
  });
  await using t = await startTestHost({ plugins: [count, model()] });
  const events: TurnEvent[] = [];
  await t.ask("go", { onEvent: (event) => void events.push(event) });
  const [call, step] = events.filter(({ type }) => type.startsWith("tool_")) as [Step, Step];
  expect(step).toEqual({
    type: "tool_progress",
    id: call.id,
    tool: "count",
    done: 1,
    total: 3,
    text: "pages",
  });
});

test("SDK-15: of 100,000 steps the first and the newest are told, and few between", async () => {
  const { opened, open } = gate();
  const count = tool("count", async ({ progress }) => {
    for (let done = 1; done <= 100_000; done += 1) progress?.({ done });
    await opened;
    return "ok";
  });
  await using t = await startTestHost({ plugins: [count, model()] });
  const watcher = watching();
  const newest = watcher.until(({ done }) => done === 100_000).then(open);
  await t.ask("go", watcher);
  await newest;
  expect(watcher.steps[0]?.done).toBe(1);
  expect(watcher.steps.length).toBeLessThan(1_000);
});

test("SDK-15: steps that a tool tells after its end are nobody's", async () => {
  let late: (() => void) | undefined;
  const count = tool("count", async ({ progress }) => {
    late = () => progress?.({ done: 3 });
    return "ok";
  });
  await using t = await startTestHost({ plugins: [count, model()] });
  const watcher = watching();
  await t.ask("go", watcher);
  late?.();
  expect(watcher.steps.map(({ done }) => done)).toEqual([]);
});

test("SDK-15: a step that is no number is left out, and its text is cut, printable and redacted", async () => {
  const odd = tool("odd", async ({ progress }) => {
    for (const step of [undefined, {}, { done: Number.NaN }, { done: -1 }, { done: "1" }])
      progress?.(step as never);
    return "ok";
  });
  const count = tool("count", async ({ progress, call }) => {
    await call("odd", {});
    progress?.({
      done: 0,
      total: Infinity,
      text: `\u001b[2J ${"x".repeat(180)} secret-1 ${"x".repeat(500)}`,
    });
    return "ok";
  });
  const plugins = [odd, count, redactor(/secret-\d/g), model()];
  await using t = await startTestHost({ plugins, config: { security: { redact_for_owner: true } } });
  const watcher = watching();
  await t.ask("go", watcher);
  expect(watcher.steps).toEqual([expect.objectContaining({ done: 0, text: expect.any(String) })]);
  const [{ text = "", total } = { total: 0 }] = watcher.steps as [Step];
  expect([/^\\u001b\[2J x+ \[hidd/.test(text), text.length < 300, total]).toEqual([true, true, undefined]);
});

test("SDK-15: the contract of tools names one whose progress goes beyond its total", async () => {
  const wrong = defineTool({
    name: "count",
    description: "Counts.",
    input: Type.Object({}),
    async run({ progress }) {
      progress?.({ done: 5, total: 3 });
      return "ok";
    },
  });
  const sentence = toolContract({ tool: wrong, args: {} }).find(({ name }) => name.includes("progress"));
  await expect(sentence?.run()).rejects.toThrow('told the step {"done":5,"total":3}');
});
