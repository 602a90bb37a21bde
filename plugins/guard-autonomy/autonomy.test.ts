import { Type } from "typebox";
import { expect, test } from "vitest";
import {
  Checks,
  definePlugin,
  defineTool,
  directMessage,
  Inbox,
  Tools,
  type Trust,
  type TurnEvent,
} from "@gantry/sdk";
import { fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import guard from "./index.ts";

const input = Type.Object({});
const run = async () => "done";
const tools = definePlugin({
  name: "tool-some",
  provides: [Tools],
  setup(host) {
    for (const name of ["file_read", "memory_recall", "shell", "other", "browser", "browser_open"]) {
      host.provide(Tools, defineTool({ name, description: "A tool.", input, run }));
    }
    host.provide(
      Tools,
      defineTool({
        name: "save",
        description: "Writes.",
        input,
        run,
        effects: () => ({ paths: [{ path: "x", access: "write" }] }),
      }),
    );
    host.provide(
      Tools,
      defineTool({ name: "exec", description: "Runs.", input, run, effects: () => ({ commands: ["ls"] }) }),
    );
    host.provide(
      Tools,
      defineTool({ name: "vague", description: "Does.", input, run, effects: () => "unknown" }),
    );
  },
});
const all = ["file_read", "memory_recall", "shell", "other", "save", "exec"];

async function decisions(config: Record<string, unknown>, names: readonly string[] = all) {
  await using host = await startTestHost({ plugins: [guard, tools], config });
  const answers: Record<string, string> = {};
  for (const name of names) {
    const [opinion] = (await host.explain(name, {})).filter(({ by }) => by === "guard-autonomy");
    answers[name] = opinion?.outcome ? `${opinion.outcome.verdict} ${opinion.outcome.code}` : "allow";
  }
  return answers;
}
const same = (answer: string) => Object.fromEntries(all.map((name) => [name, answer]));

test("SEC-01: supervised asks for every tool call, also for what is approved in advance", async () => {
  expect(await decisions({ agent: { autonomy_level: "supervised" } })).toEqual(
    same("ask AUTONOMY_SUPERVISED"),
  );
});

test("SEC-01: autonomous asks for none, also for what requires approval", async () => {
  expect(await decisions({ agent: { autonomy_level: "autonomous" } })).toEqual(same("allow"));
});

test("SEC-01: a tool that cannot say what it will do is asked for at every level, also where it is approved in advance", async () => {
  for (const autonomy_level of ["supervised", "semi-autonomous", "autonomous"]) {
    const config = { agent: { autonomy_level }, security: { auto_approve_tools: ["vague"] } };
    expect(await decisions(config, ["vague"])).toEqual({ vague: "ask AUTONOMY_UNKNOWN" });
  }
});

test("SEC-01: semi-autonomous, the default, runs auto_approve_tools, asks for require_approval_tools and for all others", async () => {
  const expected = {
    file_read: "allow",
    memory_recall: "allow",
    shell: "ask AUTONOMY_LISTED",
    other: "ask AUTONOMY_UNLISTED",
    save: "ask AUTONOMY_UNLISTED",
    exec: "ask AUTONOMY_UNLISTED",
  };
  expect(await decisions({})).toEqual(expected);
  expect(await decisions({ agent: { autonomy_level: "semi-autonomous" } })).toEqual(expected);
});

test("SEC-01: the lists are the owner's, and requiring approval wins over approving", async () => {
  const config = {
    security: { auto_approve_tools: ["other", "shell"], require_approval_tools: ["shell", "memory_recall"] },
  };
  expect(await decisions(config)).toMatchObject({
    file_read: "ask AUTONOMY_UNLISTED",
    memory_recall: "ask AUTONOMY_LISTED",
    other: "allow",
    shell: "ask AUTONOMY_LISTED",
  });
});

test("SEC-01: an asked call runs with a person's yes and not without", async () => {
  await using host = await startTestHost({ plugins: [guard, tools] });
  expect(await host.call("shell", {}, { approvals: "none" })).toMatchObject({
    decision: "refused",
    code: "APPROVAL_NO_PERSON",
  });
  expect(await host.call("shell", {}, { approvals: "yes" })).toMatchObject({
    decision: "approved",
    text: "done",
  });
  expect(await host.call("file_read", {}, { approvals: "none" })).toMatchObject({
    decision: "allowed",
    text: "done",
  });
});

test("SEC-06: a switch that is false refuses by name and by what the tool does, at every level and with a person's yes", async () => {
  const off = { shell_enabled: false, file_write_enabled: false, browser_enabled: false };
  for (const autonomy_level of ["supervised", "semi-autonomous", "autonomous"]) {
    const config = { agent: { autonomy_level }, security: off };
    expect(await decisions(config, ["shell", "exec", "save", "browser", "browser_open"])).toEqual({
      shell: "refuse AUTONOMY_OFF",
      exec: "refuse AUTONOMY_OFF",
      save: "refuse AUTONOMY_OFF",
      browser: "refuse AUTONOMY_OFF",
      browser_open: "refuse AUTONOMY_OFF",
    });
  }
  await using host = await startTestHost({ plugins: [guard, tools], config: { security: off } });
  expect(await host.call("shell", {}, { approvals: "yes" })).toMatchObject({
    decision: "refused",
    code: "AUTONOMY_OFF",
    text: expect.stringContaining("shell_enabled"),
  });
});

test("SEC-06: the browser is off unless it is turned on", async () => {
  expect(await decisions({}, ["browser"])).toEqual({ browser: "refuse AUTONOMY_OFF" });
  expect(await decisions({ security: { browser_enabled: true } }, ["browser"])).toEqual({
    browser: "ask AUTONOMY_LISTED",
  });
});

/**
 * Returns the outcome of a call of each of these tools in somebody's turn, with a person's yes to
 * every question.
 */
async function outcomes(trust: Trust, names: readonly string[], security: Record<string, unknown> = {}) {
  const model = fakeProvider([{ calls: names.map((name) => ({ name, args: {} })) }, "done"]);
  const config = { agent: { autonomy_level: "autonomous" }, security };
  await using host = await startTestHost({ plugins: [guard, tools, memoryStore(), model], config });
  const found: Record<string, string> = {};
  const onEvent = (event: TurnEvent): void => {
    if (event.type === "tool_result") found[event.tool] = event.decision;
  };
  const message = directMessage({ channel: "chat", id: "m1", from: "eve", text: "go", trust });
  const signal = AbortSignal.timeout(45_000);
  await host.slot(Inbox).prompt(message, { approvals: "yes", signal, onEvent });
  return found;
}

test("SDK-08: a guest's turn uses the tools of security.guest_tools alone, also in autonomous and with a yes; a member's uses all", async () => {
  const names = ["file_read", "memory_recall", "shell", "save"];
  expect(await outcomes("guest", names)).toEqual({
    file_read: "refused",
    memory_recall: "allowed",
    shell: "refused",
    save: "refused",
  });
  expect(await outcomes("guest", names, { guest_tools: ["file_read"] })).toMatchObject({
    file_read: "allowed",
    memory_recall: "refused",
  });
  for (const trust of ["member", "owner"] as const)
    expect(Object.values(await outcomes(trust, names))).toEqual(names.map(() => "allowed"));
});

test("SEC-01: a level that does not exist stops the start", async () => {
  await expect(
    startTestHost({ plugins: [guard, tools], config: { agent: { autonomy_level: "yolo" } } }),
  ).rejects.toMatchObject({
    code: "CONFIG_WRONG_TYPE",
  });
});

test("FLR-25: a name in an approval list that no tool has is a warning with the nearest name", async () => {
  const security = { auto_approve_tools: ["Shell", "file_find"], guest_tools: ["zzzzzzzzz"] };
  const plugins = [guard, tools, fakeProvider([]), memoryStore()];
  await using t = await startTestHost({ plugins, config: { security } });
  const rows = await t.slot(Checks).get("approval-lists")?.run(new AbortController().signal);
  const offered = "and no tool that is offered now has that name";
  expect(rows?.map(({ state, detail, cure }) => [state, detail, cure])).toEqual([
    ["warn", `security.auto_approve_tools names \`Shell\`, ${offered}`, "write `shell`, or take it off"],
    ["warn", `security.guest_tools names \`zzzzzzzzz\`, ${offered}`, "take it off the list"],
  ]);
  await t.serve();
  const warned = (): number => t.logs.filter(({ message }) => message.includes("approve_tools names")).length;
  await expect.poll(warned).toBe(1);
});
