import { Store } from "@gantry/sdk";
import { expect, test } from "vitest";
import { gate, tool } from "../../test/helpers/plugins.ts";
import { delegate, isTask, lastOf, startDelegating } from "./delegate.test-kit.ts";

const result = (args: object = {}) => ({ calls: [{ name: "delegate_result", args }] });
const inBackground = (...tasks: string[]) => delegate(...tasks.map((task) => ({ task, background: true })));

test("AGT-10: in the background ten tasks are worked on at once, and their results come when asked for", async () => {
  const all = gate();
  let begun = 0;
  const tasks = Array.from({ length: 10 }, (_, at) => `task ${at}`);
  await using t = await startDelegating({
    parent: [inBackground(...tasks), result({ wait: true }), lastOf],
    task: (request) => {
      begun += 1;
      if (begun === 10) all.open();
      return { text: `result of ${lastOf(request)}`, after: all.opened };
    },
  });
  const { reply } = await t.ask("go");
  for (const task of tasks) expect(reply).toContain(`result of ${task}`);
});

test("AGT-10: a task outlives its turn, is on disk once it has ended, and is told of in its chat", async () => {
  const end = gate();
  await using t = await startDelegating({
    parent: [inBackground("count"), "It is on its way.", result(), lastOf],
    task: () => ({ text: "Seven.", after: end.opened }),
  });
  expect(await t.say("go")).toBe("It is on its way.");
  end.open();
  await t.channel.sentCount(2);
  expect(t.channel.sent[1]?.text).toBe("Task 1 has ended: count. Ask me for its result.");
  expect(JSON.stringify(await t.slot(Store).values.get("session-tasks", "fake:alice"))).toContain("Seven.");
  expect(await t.say("and?")).toContain("Task 1 (count):\nSeven.");
  const [, , asked] = t.model.requests.filter((request) => !isTask(request));
  expect(JSON.stringify(asked?.messages)).toContain("Tasks in the background that have ended: 1.");
});

test("AGT-10: one /stop ends all tasks of a conversation, also those that outlive its turn", async () => {
  const all = gate();
  let begun = 0;
  const hang = tool("hang", async ({ signal }) => {
    begun += 1;
    if (begun === 3) all.open();
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("left"))));
    return "";
  });
  await using t = await startDelegating({
    parent: [inBackground("a", "b", "c"), "begun", result(), lastOf],
    task: () => ({ calls: [{ name: "hang", args: {} }] }),
    plugins: [hang],
  });
  expect(await t.say("go")).toBe("begun");
  await all.opened;
  await t.channel.receive({ text: "/stop", from: "alice" });
  await t.channel.sentCount(4);
  const reply = await t.say("what became of them?");
  expect(reply.match(/Stopped\./g)).toHaveLength(3);
});

test("AGT-10: nobody is asked for a task in the background", async () => {
  const { bundledPlugin } = await import("@gantry/sdk/testing");
  const autonomy = await bundledPlugin("guard-autonomy");
  await using t = await startDelegating({
    parent: [inBackground("burn it"), result({ wait: true }), lastOf],
    task: (request) =>
      lastOf(request) === "burn it" ? { calls: [{ name: "burn", args: {} }] } : lastOf(request),
    plugins: [autonomy],
    config: { security: { auto_approve_tools: ["delegate", "delegate_result"] } },
  });
  expect((await t.ask("go", { approvals: "ask" })).reply).toContain("Refused (APPROVAL_NO_PERSON)");
});

test("AGT-10: a task that was handed on begins none in the background", async () => {
  await using t = await startDelegating({
    parent: [delegate({ task: "one" }), lastOf],
    task: (request) => (lastOf(request) === "one" ? inBackground("two") : lastOf(request)),
  });
  expect((await t.ask("go")).reply).toContain("hands nothing on in the background");
});

test("AGT-10: no more tasks are begun in the background than at_once allows", async () => {
  const end = gate();
  await using t = await startDelegating({
    parent: [inBackground("a", "b", "c"), (request) => (end.open(), JSON.stringify(request.messages))],
    task: () => ({ text: "ok", after: end.opened }),
    config: { delegate: { at_once: 2 } },
  });
  expect((await t.ask("go")).reply).toContain("as many as delegate.at_once allows");
});

test("AGT-10: a new conversation knows nothing of the tasks of the one before", async () => {
  await using t = await startDelegating({
    parent: [inBackground("count"), result({ wait: true }), "done", result(), lastOf],
    task: () => "Seven.",
  });
  await t.say("go");
  await t.say("/new");
  expect(await t.say("results?")).toContain("No task was handed on in the background.");
});
