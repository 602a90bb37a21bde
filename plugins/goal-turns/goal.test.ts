import { Store } from "@gantry/sdk";
import { bundledPlugin, createMemoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { gate, guard, tool } from "../../test/helpers/plugins.ts";
import { commands, lastOf, start, verdict, type Said } from "./goal.test-kit.ts";

test("AGT-15: /goal works turn after turn until the model has said that it holds, and tells so", async () => {
  await using t = await start({
    says: ["One step.", "Another.", verdict("holds", "All is green."), "Done."],
  });
  const { reply } = await t.ask("/goal make it green", { session: "s" });
  expect(reply).toMatch(/^One step\.\n\nAnother\.\n\nDone\.\n\nThe goal holds \(3 turns, 60 tokens\)\.$/);
  const begun = t.model.requests.map(lastOf).filter((text) => text.startsWith("[Goal"));
  expect(begun[0]).toContain("turn 1 of 20.]\nReach this goal: make it green");
  expect(begun[2]).toContain(
    "turn 3 of 20.]\nGo on with this goal: make it green\n\nYou ended without a verdict.",
  );
  expect(t.model.requests).toHaveLength(4);
});

test("AGT-15: in a channel each turn is answered where the goal was said, and its end too", async () => {
  await using t = await start({
    says: ["One step.", verdict("not_yet", "Half."), "Half.", verdict("holds"), "Done."],
  });
  await t.serve();
  await t.channel.receive({ text: "/goal make it green" });
  await t.channel.sentCount(3);
  const texts = t.channel.sent.map(({ text }) => text);
  expect(texts.slice(0, 2)).toEqual(["One step.", "Half."]);
  expect(texts[2]).toMatch(/^Done\.\n\nThe goal holds \(3 turns, \d+ tokens\)\.$/);
  expect(t.channel.sent.every(({ to }) => to === "alice")).toBe(true);
});

test("AGT-15: with --until the command judges, as a call of the turn, and not the model", async () => {
  const ran: string[] = [];
  const says = [verdict("holds"), "Not so.", verdict("holds"), "Now it does."];
  await using t = await start({ says, plugins: [commands(ran, false, true)] });
  const { reply, tool_calls } = await t.ask("/goal green --until 'npm test -- \"a b\"'", { session: "s" });
  expect(ran).toEqual(['npm test -- "a b"', 'npm test -- "a b"']);
  expect(reply).toContain('The goal holds (2 turns, 60 tokens): `npm test -- "a b"` ended well.');
  expect(tool_calls.map((call) => call.tool)).toEqual(["goal_verdict"]);
  expect(
    t.audit.filter(({ tool: name, event_type }) => name === "sh" && event_type === "tool_call"),
  ).toHaveLength(2);
  const told = t.model.requests.map(lastOf);
  expect(told[1]).toContain("did not end well:\n3 failed");
  expect(told[2]).toContain('It does not hold yet: the check `npm test -- "a b"` did not end well.');
});

test("AGT-15: a guard that refuses the command of --until keeps the goal from holding", async () => {
  const ran: string[] = [];
  const refusing = guard("no-sh", ({ tool: name }) =>
    name === "sh" ? { verdict: "refuse", code: "NO_SH", reason: "No commands." } : undefined,
  );
  const plugins = [commands(ran, true), refusing];
  await using t = await start({
    says: [verdict("holds"), "It did not."],
    plugins,
    config: { goal: { turns: 2 } },
  });
  const { reply } = await t.ask("/goal green --until npm test", { session: "s" });
  expect(ran).toEqual([]);
  expect(reply).toMatch(
    /The goal does not hold yet \(2 turns, \d+ tokens\)\. It took 2 turns, as many as goal\.turns/,
  );
});

test.each([
  { key: "turns", most: 3, turns: 3 },
  { key: "tokens", most: 20, turns: 2 },
])("AGT-15: goal.$key ends a goal, which /goal resume takes up again", async ({ key, most, turns }) => {
  await using t = await start({ says: ["A step."], config: { goal: { [key]: most } } });
  const { reply } = await t.ask("/goal green", { session: "s" });
  expect(reply).toContain(`goal.${key} allows. /goal resume goes on.`);
  expect(t.model.requests).toHaveLength(turns);
  expect((await t.ask("/goal", { session: "s" })).reply).toContain(`goal.${key} allows.`);
  await t.ask("/goal resume", { session: "s" });
  expect(t.model.requests).toHaveLength(2 * turns);
});

test("AGT-15: goal.minutes ends a goal", async () => {
  await using t = await start({ says: ["A step."], config: { goal: { minutes: 1 } } });
  const store = t.slot(Store);
  const { put } = store.values;
  // The goal was begun an hour ago, as far as its record says.
  store.values.put = (space, name, value, life) => put.call(store.values, space, name, ago(value), life);
  const { reply } = await t.ask("/goal green", { session: "s" });
  expect(reply).toContain("It took 1 minutes, as many as goal.minutes allows.");
  expect(t.model.requests).toHaveLength(1);
});

function ago(value: unknown): unknown {
  const began = (value as { began?: number }).began;
  return began === undefined ? value : { ...(value as object), began: began - 3_600_000 };
}

test("AGT-15: /stop ends a goal with its turn, and no further turn begins", async () => {
  const working = gate();
  const hang = tool("hang", async ({ signal }) => {
    working.open();
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("left"))));
    return "";
  });
  const says = ["One step.", { calls: [{ name: "hang", args: {} }] }, "Hello."];
  await using t = await start({ says, plugins: [hang] });
  await t.serve();
  await t.channel.receive({ text: "/goal green" });
  await working.opened;
  await t.channel.receive({ text: "/stop" });
  await t.channel.sentCount(3);
  const told = "The goal was stopped (1 turn, 15 tokens). /goal resume goes on.";
  const stopped = t.channel.sent.slice(1).map(({ text }) => text);
  expect(stopped.toSorted()).toEqual(["Stopped.", told]);
  const asked = t.model.requests.length;
  await t.channel.receive({ text: "hi" });
  await t.channel.sentCount(4);
  expect(t.model.requests).toHaveLength(asked + 1);
  await t.channel.receive({ text: "/goal" });
  await t.channel.sentCount(5);
  expect(t.channel.sent[4]?.text).toBe(`green\n${told}`);
});

test("AGT-15: a goal of a channel goes on in another process, turn by turn and once each", async () => {
  const store = createMemoryStore();
  const [begun, end] = [gate(), gate()];
  const slow: Said = () => {
    begun.open();
    return { text: "A second.", after: end.opened };
  };
  const first = await start({ says: ["One step.", slow, "Never said."], store });
  await first.serve();
  await first.channel.receive({ text: "/goal green" });
  await begun.opened;
  const stopped = first.stop();
  end.open();
  await stopped;
  await using second = await start({ says: [verdict("holds"), "Done."], store });
  await second.serve();
  await second.channel.sentCount(1);
  expect(first.channel.sent.map(({ text }) => text)).toEqual(["One step.", "A second."]);
  expect(second.channel.sent[0]?.text).toMatch(/^Done\.\n\nThe goal holds \(3 turns/);
  expect(second.model.requests.map(lastOf)[0]).toContain("turn 3 of 20.]");
});

test("AGT-15: only turns of a goal have goal_verdict, and a person's own turn beside it has not", async () => {
  await using t = await start({ says: ["Hello.", verdict("holds"), "Done."] });
  await t.ask("hi", { session: "s" });
  await t.ask("/goal green", { session: "s" });
  const had = t.model.requests.map(({ tools }) => tools.some(({ name }) => name === "goal_verdict"));
  expect(had).toEqual([false, true, true]);
  expect((await t.call("goal_verdict", { verdict: "holds", why: "x" })).code).toBe("TOOL_NOT_OFFERED");
});

test("AGT-15: a goal's questions are put in its conversation as those of any turn", async () => {
  const autonomy = await bundledPlugin("guard-autonomy");
  const ran: string[] = [];
  const plugins = [commands(ran, true), autonomy];
  await using t = await start({ says: [verdict("holds"), "Done."], plugins });
  await t.serve();
  await t.channel.receive({ text: "/goal green --until npm test" });
  await t.channel.sentCount(1);
  expect(t.channel.sent[0]?.text).toContain("sh");
  expect(ran).toEqual([]);
  await t.channel.receive({ text: "yes" });
  await t.channel.sentCount(2);
  expect(ran).toEqual(["npm test"]);
  expect(t.channel.sent[1]?.text).toMatch(/\n\nThe goal holds \(1 turn/);
});

test("AGT-15: a turn that fails leaves the goal, says why and how to go on", async () => {
  const failure = { code: "PROVIDER_AUTH", message: "The key is wrong.", retry: false };
  await using t = await start({ says: ["One step.", { failure }] });
  const { reply, error } = await t.ask("/goal green", { session: "s" });
  expect(reply).toContain("The turn failed: The key is wrong. /goal resume goes on.");
  expect(error?.code).toBe("PROVIDER_AUTH");
  expect(t.model.requests).toHaveLength(2);
});

test("AGT-15: a new conversation knows no goal of the one before", async () => {
  await using t = await start({ says: [verdict("holds"), "Done."] });
  await t.ask("/goal green", { session: "s" });
  await t.ask("/new", { session: "s" });
  expect((await t.ask("/goal", { session: "s" })).reply).toMatch(/^There is no goal here\./);
});
