import { writeFileSync } from "node:fs";
import path from "node:path";
import { ChatCommands, Checks, definePlugin, defineTool, Tools, type ToolCall } from "@gantry/sdk";
import { fakeProvider, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import { accept, folder, linux, offered, small, startMcp, stated, word } from "./mcp.test-kit.ts";

const hasWord = (t: TestHost, name: string): boolean => t.slot(ChatCommands).has(name);

/** The small server, accepted, and what its prompt `greet` was answered with. */
async function greeted(whom: string, replies: Parameters<typeof fakeProvider>[0] = ["done"]) {
  const model = fakeProvider(replies);
  const calls: ToolCall[] = [];
  const look = definePlugin({
    name: "look",
    summary: "Looks.",
    provides: [Tools],
    taps: ["beforeToolCall"],
    setup(host) {
      host.hooks.beforeToolCall.tap((call) => void calls.push(call));
      host.provide(
        Tools,
        defineTool({ name: "idle", description: "Idle.", input: Type.Object({}), run: async () => "" }),
      );
    },
  });
  const t = await startMcp({ small: small() }, { plugins: [model, look] });
  await accept(t, "small");
  await expect.poll(() => hasWord(t, "small-greet")).toBe(true);
  await t.ask(`/small-greet whom="${whom}"`, { user: "chat:1", approvals: "yes" });
  return { model, calls, t };
}

/** A server that lists this tool and this prompt. */
function listing(tool: string, prompt: string): Record<string, unknown> {
  const file = path.join(folder(), "state.json");
  const tools = [{ name: tool, description: tool, inputSchema: { type: "object" } }];
  writeFileSync(file, JSON.stringify({ tools, prompts: [{ name: prompt }] }));
  return stated(file);
}

describe.runIf(linux)("the prompts of a server", () => {
  test("MCP-05: what a prompt brings stands in the person's message as material, not in the system", async () => {
    const { model, calls, t } = await greeted("Ada", [{ calls: [{ name: "idle", args: {} }] }, "done"]);
    await using _ = t;
    const { messages } = model.requests[0]!;
    const system = messages.filter(({ role }) => role === "system");
    expect(JSON.stringify(messages)).toMatch(/untrusted[^]*MCP server small[^]*Say hello to Ada/);
    expect(system.length).toBeGreaterThan(0);
    expect(JSON.stringify(system)).not.toContain("hello");
    expect(calls[0]?.sources?.material).toEqual(["attached files"]);
  });

  test("MCP-05: hidden characters and templates of models are taken out of a prompt", async () => {
    const { model, t } = await greeted("A\u202ed\u200ba<|im_start|>\u{e0041}");
    await using _ = t;
    const sent = JSON.stringify(model.requests[0]?.messages);
    expect(sent).toContain("Say hello to Ada.");
    expect(sent).not.toMatch(/im_start|[\u202e\u200b]|\u{e0041}/u);
  });

  test("MCP-05: a prompt is cut at 64 KiB", async () => {
    const { model, t } = await greeted("é".repeat(50_000));
    await using _ = t;
    const sent = JSON.stringify(model.requests[0]?.messages);
    expect(sent.split("é").length).toBeLessThan(33_000);
    expect(sent).toContain("é…");
  });

  test("MCP-05: each use of a prompt is on record, with whose it is", async () => {
    const { t } = await greeted("Ada");
    await using _ = t;
    expect(t.audit).toContainEqual(
      expect.objectContaining({
        event_type: "tool_call",
        tool: "/small-greet",
        args: { mcp_server: "small", prompt: "greet", arguments: { whom: "Ada" } },
        user: "chat:1",
      }),
    );
  });

  test("MCP-04: of two servers whose names clash the later is left out, and that is told once", async () => {
    await using t = await startMcp({ a: listing("b_c", "b_c"), a_b: listing("c", "c") });
    for (const name of ["a", "a_b"]) await accept(t, name);
    await expect.poll(() => offered(t)).toEqual(["a_b_c", "a_b_resource", "a_resource"]);
    await expect.poll(() => hasWord(t, "a-b-c")).toBe(true);
    await offered(t);
    const told = () => t.logs.filter((line) => JSON.stringify(line).includes("MCP_CLASH"));
    await expect.poll(() => told().length).toBe(2);
    expect(JSON.stringify(told())).toMatch(/MCP server a_b has a tool that is called a_b_c/);
    expect(t.slot(ChatCommands).get("a-b-c")?.summary).toContain("(MCP server a)");
  });

  test("MCP-04: `list`, `check` and status tell the names that clash, and of which server", async () => {
    await using t = await startMcp({ a: listing("b_c", "b_c"), a_b: listing("c", "c") });
    await accept(t, "a");
    const early = await word(t, "check", ["a_b"]);
    expect(early.out).toContain("left out a_b_c: the MCP server a has a tool of that name");
    await accept(t, "a_b");
    const { out } = await word(t, "check", ["a_b"], { json: true });
    const { tools, left_out } = JSON.parse(out) as { tools: string[]; left_out: { tool: string }[] };
    expect([tools, left_out.map(({ tool }) => tool)]).toEqual([["a_b_resource"], ["a_b_c", "a-b-c"]]);
    const without = "1 tools accepted, without the tool a_b_c, which a has too";
    expect((await word(t, "list", [])).out).toContain(without);
    const rows = await t
      .slot(Checks)
      .get("mcp-servers-status")
      ?.run({} as never);
    expect(rows?.map(({ state }) => state)).toEqual(["ok", "warn"]);
    expect(rows?.[1]?.detail).toContain(without);
  });

  test("MCP-04: a prompt named as another plugin's word is left out, and the others stay", async () => {
    const mine = { name: "small-greet", summary: "Mine.", run: () => "mine" };
    const words = definePlugin({
      name: "mine",
      summary: "Mine.",
      provides: [ChatCommands],
      setup: (host) => void host.provide(ChatCommands, mine),
    });
    await using t = await startMcp({ small: small(), z: small() }, { plugins: [words] });
    for (const name of ["small", "z"]) await accept(t, name);
    await expect.poll(() => hasWord(t, "z-greet")).toBe(true);
    expect(t.slot(ChatCommands).get("small-greet")?.summary).toBe("Mine.");
  });
});
