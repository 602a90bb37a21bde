import {
  Approvals,
  definePlugin,
  directMessage,
  Inbox,
  Tools,
  type Autonomy,
  type PromptOptions,
  type TurnEvent,
} from "@gantry/sdk";
import { bundledPlugin, fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { assert, asyncProperty, constantFrom, option } from "fast-check";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { tool } from "./helpers/plugins.ts";

const levels = ["supervised", "semi-autonomous", "autonomous"] as const;
const autonomy = await bundledPlugin("guard-autonomy");
const look = tool("look", async () => "seen");
const vague = tool("vague", async () => "done", { effects: () => "unknown" });

/** A tool that asks for a turn with a level of its own. */
function delegating(options: Partial<PromptOptions>) {
  return definePlugin({
    name: "tool-delegate",
    needs: { inbox: Inbox },
    provides: [Tools],
    setup: (host) =>
      host.provide(Tools, {
        name: "delegate",
        description: "Hands on.",
        input: Type.Object({}),
        async run({ signal }) {
          const message = directMessage({ channel: "x", id: crypto.randomUUID(), from: "x", text: "in" });
          const asked = { keep: false, approvals: "ask", signal, ...options } as const;
          return (await host.needs.inbox.prompt(message, asked)).reply;
        },
      }),
  });
}

/** Returns the outcome of each call of a turn, as `tool decision code`. */
async function outcomes(t: TestHost, options: Partial<PromptOptions>): Promise<readonly string[]> {
  const seen: string[] = [];
  const onEvent = (event: TurnEvent): void => {
    if (event.type === "tool_result") seen.push(`${event.tool} ${event.decision} ${event.code ?? ""}`.trim());
  };
  await t.ask("go", { onEvent, ...options });
  return seen;
}

const calls = (...names: string[]) => ({ calls: names.map((name) => ({ name, args: {} })) });
const at = (level: Autonomy, more: object = {}) => ({ agent: { autonomy_level: level }, ...more });

test("SDK-17: a supervised turn asks before every call, also where autonomous is configured", async () => {
  const model = fakeProvider([calls("look"), "a", calls("look"), "b"]);
  await using t = await startTestHost({ plugins: [autonomy, look, model], config: at("autonomous") });
  expect(await outcomes(t, { autonomy: "supervised" })).toEqual(["look refused APPROVAL_NO_PERSON"]);
  expect(await outcomes(t, {})).toEqual(["look allowed"]);
});

test("SDK-17: a supervised turn asks even if no guard knows of levels of turns", async () => {
  const model = fakeProvider([calls("look"), "a"]);
  await using t = await startTestHost({ plugins: [look, model], config: at("autonomous") });
  expect(await outcomes(t, { autonomy: "supervised" })).toEqual(["look refused APPROVAL_NO_PERSON"]);
});

test("SDK-17: a semi-autonomous turn goes by the lists where autonomous is configured", async () => {
  const security = { auto_approve_tools: ["look"] };
  const model = fakeProvider([calls("look", "burn"), "a"]);
  const plugins = [autonomy, look, tool("burn", async () => "ash"), model];
  await using t = await startTestHost({ plugins, config: at("autonomous", { security }) });
  const seen = await outcomes(t, { autonomy: "semi-autonomous" });
  expect(seen).toEqual(["look allowed", "burn refused APPROVAL_NO_PERSON"]);
});

test("SDK-17: a level that is wider than configured, or none, is refused with a code and begins no turn", async () => {
  const model = fakeProvider(["hi"]);
  await using t = await startTestHost({ plugins: [autonomy, model], config: at("semi-autonomous") });
  await expect(t.ask("go", { autonomy: "autonomous" })).rejects.toMatchObject({ code: "AUTONOMY_WIDER" });
  const wrong = "free" as Autonomy;
  await expect(t.ask("go", { autonomy: wrong })).rejects.toMatchObject({ code: "PROMPT_BAD_OPTION" });
  expect(model.requests).toEqual([]);
  expect((await t.ask("go", { autonomy: "semi-autonomous" })).reply).toBe("hi");
});

test("SDK-17: what autonomous refuses unasked, a narrower turn does not get by --yes", async () => {
  for (const options of [{}, { autonomy: "supervised" }, { autonomy: "semi-autonomous" }] as const) {
    const plugins = [autonomy, vague, fakeProvider([calls("vague"), "a"])];
    await using t = await startTestHost({ plugins, config: at("autonomous") });
    const [seen] = await outcomes(t, { approvals: "yes", ...options });
    expect(seen).toMatch(/^vague refused /);
  }
});

test("SDK-17: a turn within a turn is never wider than that one, whatever it asks for", async () => {
  const level = constantFrom(...levels);
  const isIn = (inner: Autonomy, outer: Autonomy) => levels.indexOf(inner) <= levels.indexOf(outer);
  const sample = asyncProperty(level, option(level), option(level), async (configured, outer, inner) => {
    if (outer && !isIn(outer, configured)) return true;
    const model = fakeProvider([calls("delegate"), calls("look"), "inner", "outer"]);
    const seen: Autonomy[] = [];
    const guard = definePlugin({
      name: "guard-watcher",
      taps: ["beforeToolCall"],
      setup: (host) =>
        host.hooks.beforeToolCall.tap((call) => {
          if (call.tool === "look") seen.push(call.autonomy ?? configured);
        }),
    });
    const plugins = [delegating(inner ? { autonomy: inner } : {}), look, guard, model, memoryStore()];
    await using t = await startTestHost({ plugins, config: at(configured) });
    const bound = outer ?? configured;
    const onEvent = ({ request }: { request?: { id: string } }): void => {
      if (request) void t.slot(Approvals).decide(request.id, "allow", { user: "cli:test" });
    };
    await t.ask("go", { approvals: "ask", onEvent: onEvent as never, ...(outer && { autonomy: outer }) });
    // A wider turn is not begun: the model's next call is the outer turn's own.
    const most = inner && isIn(inner, bound) ? inner : bound;
    return seen.length === 1 && seen.every((level) => isIn(level, most));
  });
  await assert(sample, { numRuns: 60 });
});
