import { Approvals, textOf as textOfParts, type ToolRun } from "@gantry/sdk";
import { bundledPlugin } from "@gantry/sdk/testing";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { asking, connect, eras, openDoor, textOf, tokenOf, type Door } from "./door.test-kit.ts";

const clock = tool("clock", async () => "noon");

/** A tool that runs until it is stopped, and what is known of it. */
function endless() {
  const began = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const plugin = tool("dig", ({ signal }: ToolRun<any>) => {
    began.resolve();
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        ended.resolve();
        reject(new Error("stopped"));
      }),
    );
  });
  return { plugin, began: began.promise, ended: ended.promise };
}

/** Returns what the model was shown of the conversation with each request. */
function wordsTo({ model }: Door): readonly (readonly string[])[] {
  return model.requests.map(({ messages }) =>
    messages.filter(({ role }) => role !== "system").map(({ parts }) => textOfParts(parts)),
  );
}

/** Answers the first question that is open, as a device of the owner that may decide. */
async function decide({ gateway }: Door, decision: string): Promise<void> {
  const approvals = gateway.host.slot(Approvals);
  const { device_id } = await gateway.pair("phone");
  const caller = { device: device_id, may: ["decide"] } as const;
  await expect.poll(() => approvals.pending()).not.toEqual([]);
  const [{ id } = { id: "" }] = await approvals.pending();
  expect(await approvals.decide(id, decision, { user: `http:${device_id}`, caller })).toBe("done");
}

describe.each(eras)("in the era %s", (era) => {
  test("MCP-11: ask runs a turn, and one more in the client's own conversation", async () => {
    const door = await openDoor([], [], { script: ["Hello.", "You said one."] });
    const client = await connect(door, era);
    const args = { message: "one", conversation: "mine" };
    expect(textOf(await client.callTool({ name: "ask", arguments: args }))).toBe("Hello.");
    const again = await client.callTool({ name: "ask", arguments: { ...args, message: "two" } });
    expect(again).toMatchObject({ structuredContent: { conversation: "mine", stop_reason: "EndTurn" } });
    expect(wordsTo(door)).toEqual([["one"], ["one", "Hello.", "two"]]);
  });

  test("MCP-11: what the owner lists is offered and runs, and nothing else", async () => {
    const door = await openDoor(["clock"], [clock, tool("hidden", async () => "secret")]);
    const client = await connect(door, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["ask", "clock"]);
    expect(textOf(await client.callTool({ name: "clock", arguments: {} }))).toBe("noon");
    await expect(client.callTool({ name: "hidden", arguments: {} })).rejects.toMatchObject({
      code: -32_602,
    });
    const calls = door.gateway.host.audit.filter(({ event_type }) => event_type === "tool_call");
    expect(calls.map(({ tool: name, user }) => [name, user.split(":")[0]])).toEqual([["clock", "mcp"]]);
  });

  test("MCP-11: a client that may decide is asked, and its person's word counts", async () => {
    const door = await openDoor(["clock"], [clock, asking("clock")]);
    const said = ["allow", "deny", undefined];
    const shown: unknown[] = [];
    const client = await connect(door, era, {
      elicit: (params) => {
        shown.push(params.message);
        const decision = said.shift();
        return decision === undefined ? { action: "cancel" } : { action: "accept", content: { decision } };
      },
    });
    const call = () => client.callTool({ name: "clock", arguments: {} });
    expect(textOf(await call())).toBe("noon");
    const denied = { isError: true, content: [{ text: expect.stringMatching(/^APPROVAL_DENIED/) }] };
    expect(await call()).toMatchObject(denied);
    expect(await call()).toMatchObject(denied);
    expect(shown).toEqual([1, 2, 3].map(() => expect.stringContaining("May clock run this?")));
  });

  test("MCP-11: a client that may only talk is not asked; somebody who may decides elsewhere", async () => {
    const door = await openDoor(["clock"], [clock, asking("clock")]);
    const { token } = await tokenOf(door, "talk");
    const asked: unknown[] = [];
    const elicit = (params: unknown) => (asked.push(params), { action: "decline" }) as never;
    const client = await connect(door, era, { token, elicit });
    const steps: unknown[] = [];
    const call = client.callTool(
      { name: "clock", arguments: {} },
      { onprogress: ({ message }) => void steps.push(message) },
    );
    await decide(door, "allow");
    expect(textOf(await call)).toBe("noon");
    expect(asked).toEqual([]);
    expect(steps).toEqual([expect.stringContaining("clock waits until")]);
  });

  test("MCP-11: a turn's own question comes to the client, and the turn goes on", async () => {
    const script = [{ calls: [{ name: "clock", args: {} }] }, "It is noon."];
    const door = await openDoor([], [clock, asking("clock")], { script });
    const client = await connect(door, era, {
      elicit: () => ({ action: "accept", content: { decision: "allow" } }),
    });
    const result = (await client.callTool({
      name: "ask",
      arguments: { message: "time?" },
    })) as CallToolResult;
    expect(textOf(result)).toBe("It is noon.");
    expect(result.structuredContent).toMatchObject({
      tool_calls: [{ tool: "clock", decision: "approved" }],
    });
  });

  test("MCP-11: a client that cancels its request stops what runs for it", async () => {
    const { plugin, began, ended } = endless();
    const door = await openDoor(["dig"], [plugin]);
    const client = await connect(door, era);
    const cancel = new AbortController();
    const call = client.callTool({ name: "dig", arguments: {} }, { signal: cancel.signal });
    await began;
    cancel.abort();
    await expect(call).rejects.toBeInstanceOf(Error);
    await ended;
  });

  test("MCP-11: progress of a tool is told to a client that asked for it", async () => {
    const dig = tool("dig", async ({ progress }: ToolRun<any>) => {
      progress?.({ done: 1, total: 4, text: "a spade" });
      return "dug";
    });
    const door = await openDoor(["dig"], [dig]);
    const client = await connect(door, era);
    const steps: unknown[] = [];
    await client.callTool({ name: "dig", arguments: {} }, { onprogress: (step) => void steps.push(step) });
    expect(steps).toEqual([{ progress: 1, total: 4, message: "a spade" }]);
  });
});

test("MCP-11: recall reads what is remembered of the caller, and of nobody else", async () => {
  const door = await openDoor(["memory_store"], [await bundledPlugin("tool-memory")]);
  const [ana, ben] = [await connect(door, "modern"), await connect(door, "legacy")];
  await ana.callTool({ name: "memory_store", arguments: { text: "Ana likes figs." } });
  const recall = { name: "recall", arguments: { query: "figs" } };
  expect(textOf(await ana.callTool(recall))).toContain("Ana likes figs.");
  expect(textOf(await ben.callTool(recall))).not.toContain("figs.");
});

test("MCP-11: two devices that name one conversation have two", async () => {
  const door = await openDoor([], [], { script: ["one", "two"] });
  for (const era of eras) {
    const client = await connect(door, era);
    await client.callTool({ name: "ask", arguments: { message: "hi", conversation: "c" } });
  }
  expect(wordsTo(door)).toEqual([["hi"], ["hi"]]);
});

test("MCP-11: a client of 2025-11-25 that cancels over a question stops what runs for it", async () => {
  const ended = Promise.withResolvers<void>();
  const dig = tool("dig", async ({ ask, signal }: ToolRun<any>) => {
    signal.addEventListener("abort", () => ended.resolve());
    return JSON.stringify(await ask?.({ text: "Where?" }));
  });
  const door = await openDoor(["dig"], [dig, await bundledPlugin("ask-words")]);
  const cancel = new AbortController();
  const elicit = () => {
    cancel.abort();
    return new Promise<never>(() => {});
  };
  const client = await connect(door, "legacy", { elicit });
  const call = client.callTool({ name: "dig", arguments: {} }, { signal: cancel.signal });
  await expect(call).rejects.toBeInstanceOf(Error);
  await ended.promise;
});

test.each(eras)("MCP-11: words that a tool asks for come from the client's person (%s)", async (era) => {
  const dig = tool("dig", async ({ ask }: ToolRun<any>) => JSON.stringify(await ask?.({ text: "Where?" })));
  const door = await openDoor(["dig"], [dig, await bundledPlugin("ask-words")]);
  const call = { name: "dig", arguments: {} };
  const asked = await connect(door, era, {
    elicit: () => ({ action: "accept", content: { text: "here" } }),
  });
  expect(textOf(await asked.callTool(call))).toBe('{"action":"accept","content":{"text":"here"}}');
  const silent = await connect(door, era);
  expect(textOf(await silent.callTool(call))).toBe('{"action":"cancel"}');
});
