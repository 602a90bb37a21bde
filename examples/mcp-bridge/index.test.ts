import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Approvals, ToolCatalog, ToolQuestions, type TurnEvent } from "@gantry/sdk";
import { bundledPlugin, checkPlugin, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { describe, expect, test } from "vitest";
import plugin from "./index.ts";

const server = path.join(import.meta.dirname, "server.test-kit.js");
const config = {
  plugins_config: { "mcp-bridge": { command: [process.execPath, server], read: [process.execPath, server] } },
};
const sandbox = await bundledPlugin("sandbox-landlock");
const questions = await bundledPlugin("ask-words");
const listed = ["learn", "leave", "paint", "peek", "walk", "wonder"];

const start = (...more: Parameters<typeof startTestHost>[0]["plugins"]) =>
  startTestHost({ plugins: [plugin, sandbox, questions, ...more], config });
type Host = Awaited<ReturnType<typeof start>>;

const offered = async (t: Host) => (await t.slot(ToolCatalog).list()).map(({ name }) => name);

describe.runIf(process.platform === "linux")("an MCP server behind the walls", { timeout: 60_000 }, () => {
  test("SDK-09: its tools are offered as it lists them", async () => {
    await using t = await start();
    expect(await offered(t)).toEqual(listed);
    expect(await t.call("learn", {}, { approvals: "yes" })).toMatchObject({ text: "learnt" });
    await expect.poll(() => offered(t)).toContain("sing");
    expect(await t.call("sing", {}, { approvals: "yes" })).toMatchObject({ text: "la" });
  });

  test("SDK-09: it reads nothing but what it may", async () => {
    const outside = mkdtempSync("/var/tmp/gantry-mcp-");
    try {
      writeFileSync(path.join(outside, "secret"), "the secret");
      await using t = await start();
      const peek = (file: string) => t.call("peek", { path: file }, { approvals: "yes" });
      expect((await peek(path.join(outside, "secret"))).text).toMatch(/^E(?:ACCES|NOENT|PERM)$/);
      expect((await peek(server)).text).toContain("A small MCP server");
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test("SDK-09: arguments that do not fit its schema do not reach it", async () => {
    await using t = await start();
    const call = await t.call("peek", { where: "there" }, { approvals: "yes" });
    expect(call).toMatchObject({ code: "TOOL_BAD_ARGS" });
  });

  test("SDK-09: a server that ends fails its call, and the next list starts another one", async () => {
    await using t = await start();
    expect(await t.call("leave", {}, { approvals: "yes" })).toMatchObject({ code: "CONNECTION_CLOSED" });
    await expect.poll(() => offered(t)).toEqual(listed);
  });

  test("SDK-19: with tool-index its tools are found by words, called by name, and not sent", async () => {
    const found = { calls: [{ name: "tool_search", args: { query: "learn" } }] };
    const learn = { calls: [{ name: "tool_call", args: { tool: "learn", args: {} } }] };
    const model = fakeProvider([found, learn, "done"]);
    await using t = await start(await bundledPlugin("tool-index"), model);
    const { tool_calls } = await t.ask("go", { approvals: "yes" });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["tool_call", "tool_search"]);
    expect(tool_calls.map(({ tool }) => tool)).toEqual(["tool_search", "learn"]);
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("learnt");
  });

  test("SDK-15: its progress is told to whoever watches the turn", async () => {
    const steps: TurnEvent[] = [];
    await using t = await start(fakeProvider([{ calls: [{ name: "walk", args: {} }] }, "There."]));
    await t.ask("walk", {
      approvals: "yes",
      onEvent: (event) => void (event.type === "tool_progress" && steps.push(event)),
    });
    expect(steps[0]).toMatchObject({ done: 1, total: 2, text: "mile 1" });
  });

  test("SDK-15: its question is asked of the person whose turn it is", async () => {
    const model = fakeProvider([{ calls: [{ name: "wonder", args: {} }] }, "Ada's."]);
    await using t = await start(model);
    await t.ask("whose?", {
      approvals: "ask",
      onEvent: (event) => {
        if (event.type === "approval_request")
          void t.slot(Approvals).decide(event.request.id, "allow", { user: event.request.user });
        if (event.type !== "tool_question") return;
        const { id, user } = event.question;
        void t.slot(ToolQuestions).answer(id, { name: "Ada" }, { user });
      },
    });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("accept Ada");
  });

  test("SDK-09: a picture of its is shown to the model", async () => {
    const model = fakeProvider([{ calls: [{ name: "paint", args: {} }] }, "A pixel."]);
    await using t = await start(model, memoryStore());
    await t.ask("paint", { approvals: "yes" });
    expect(model.requests[1]?.messages.at(-1)?.parts).toContainEqual(
      expect.objectContaining({ type: "media", media: expect.objectContaining({ mime: "image/png" }) }),
    );
  });

  test("SDK-05: the bridge and the tools of its server keep to their contract, with a server and without one", async () => {
    for (const keys of [{}, { config }])
      expect((await checkPlugin({ plugin, with: [sandbox], patienceMs: 45_000, ...keys })).findings).toEqual(
        [],
      );
  }, 120_000);
});
