import {
  Approvals,
  ChatCommands,
  ToolQuestions,
  type Said,
  type ToolQuestion,
  type TurnEvent,
} from "@gantry/sdk";
import { bundledPlugin, fakeProvider } from "@gantry/sdk/testing";
import { describe, expect, test } from "vitest";
import { accept, linux, offered, small, startMcp, stated, stateFile } from "./mcp.test-kit.ts";

const yes = { approvals: "yes" } as const;
const call = (name: string, args: object = {}) => ({ calls: [{ name, args }] });
const autonomy = await bundledPlugin("guard-autonomy");
const questions = await bundledPlugin("ask-words");

/**
 * Runs a turn that calls `wonder` and answers its question; returns the question and what the model
 * is told.
 */
async function asked(args: object, answer: Said): Promise<readonly [ToolQuestion | undefined, string]> {
  const model = fakeProvider([call("small_wonder", args), "Thanks."]);
  await using t = await startMcp({ small: small() }, { plugins: [model, questions] });
  await accept(t, "small");
  await expect.poll(() => offered(t)).toContain("small_wonder");
  let question: ToolQuestion | undefined;
  await t.ask("whose?", {
    approvals: "ask",
    onEvent: (event) => {
      if (event.type === "approval_request")
        void t.slot(Approvals).decide(event.request.id, "allow", { user: event.request.user });
      if (event.type !== "tool_question") return;
      question = event.question;
      void t.slot(ToolQuestions).answer(question.id, answer, { user: question.user });
    },
  });
  return [question, JSON.stringify(model.requests[1]?.messages.at(-1))];
}

const media = (mime: string) =>
  expect.objectContaining({
    type: "media",
    media: expect.objectContaining({ mime }) as unknown,
  }) as unknown;

describe.runIf(linux)("a call of an MCP tool", { timeout: 120_000 }, () => {
  test.each(["supervised", "semi-autonomous", "autonomous"])(
    "MCP-08: it asks where the level is %s, whatever its server says of it",
    async (autonomy_level) => {
      const state = stateFile();
      const harmless = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
      const inputSchema = { type: "object", properties: {} };
      state.list([{ name: "sing", description: "Sings.", inputSchema, annotations: harmless }]);
      const config = { agent: { autonomy_level } };
      await using t = await startMcp({ small: stated(state.file) }, { plugins: [autonomy], config });
      await accept(t, "small");
      await expect.poll(() => offered(t)).toContain("small_sing");
      const said = (await t.explain("small_sing", {})).map(({ outcome }) => outcome?.code);
      expect(said).toContain("MCP_ASKS");
      const { decision } = await t.call("small_sing", {}, { approvals: "none" });
      expect(decision).toBe("refused");
    },
  );

  test("MCP-08: a tool that its server's table allows runs unasked, and no other tool does", async () => {
    const servers = { small: small({ tools: { learn: "allow", walk: "ask" } }) };
    for (const autonomy_level of ["semi-autonomous", "autonomous"]) {
      const config = { agent: { autonomy_level } };
      await using t = await startMcp(servers, { plugins: [autonomy], config });
      await accept(t, "small");
      await expect.poll(() => offered(t)).toContain("small_learn");
      const outcomes = await Promise.all(
        ["learn", "walk", "paint"].map((name) => t.call(`small_${name}`, {})),
      );
      expect(outcomes.map(({ decision }) => decision)).toEqual(["allowed", "refused", "refused"]);
      const [, opinion] = await t.explain("small_learn", {});
      expect(opinion ?? (await t.explain("small_learn", {}))[0]).toMatchObject({
        lifted: "mcp.servers.small.tools.learn",
      });
    }
  });

  test("MCP-08: where everything is supervised a tool that is allowed asks too", async () => {
    const config = { agent: { autonomy_level: "supervised" } };
    const servers = { small: small({ tools: { learn: "allow" } }) };
    await using t = await startMcp(servers, { plugins: [autonomy], config });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_learn");
    expect((await t.call("small_learn", {})).decision).toBe("refused");
  });

  test("MCP-08: a path or an address in its arguments passes the guards of paths and addresses", async () => {
    const guards = await Promise.all(["guard-paths", "guard-network", "net-undici"].map(bundledPlugin));
    await using t = await startMcp({ small: small() }, { plugins: guards });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_peek");
    const peek = (path: string) => t.call("small_peek", { path }, yes);
    expect(await peek("/etc/passwd")).toMatchObject({ decision: "refused", code: "PATH_OUTSIDE" });
    expect(await peek("file:///etc/passwd")).toMatchObject({ code: "PATH_OUTSIDE" });
    expect(await peek("~/.ssh/id_rsa")).toMatchObject({ code: "PATH_OUTSIDE" });
    expect(await peek("https://example.com/?q=secret")).toMatchObject({ code: "NET_BLOCKED" });
    expect(await peek("a note on https")).toMatchObject({ decision: "approved" });
  });

  test("MCP-08: once it was answered, the conversation holds material from outside", async () => {
    const model = fakeProvider([call("small_learn"), "done"]);
    await using t = await startMcp({ small: small() }, { plugins: [model] });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_learn");
    await t.ask("go", yes);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toMatch(/untrusted \w+ from tool small_learn/);
  });

  test("MCP-09: a result of 30 MB in one line fails the call, and the next one works", async () => {
    await using t = await startMcp({ small: small() });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_shout");
    expect(await t.call("small_shout", {}, yes)).toMatchObject({ decision: "failed", code: "MCP_FAILED" });
    expect(t.logs.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("a message of more than 8388608 bytes"),
    );
    expect(await t.call("small_learn", {}, yes)).toMatchObject({ text: "learnt" });
  });

  test("MCP-01: pictures and files of a result are kept, and the model is shown the picture", async () => {
    const model = fakeProvider([call("small_paint"), "A pixel."]);
    await using t = await startMcp({ small: small() }, { plugins: [model] });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_paint");
    await t.ask("paint", yes);
    const { parts = [] } = model.requests[1]?.messages.at(-1) ?? {};
    expect(parts).toEqual(expect.arrayContaining([media("image/png"), media("text/csv")]));
    expect(JSON.stringify(parts)).toContain("a note");
  });

  test("MCP-01: its progress is told to whoever watches the turn", async () => {
    const steps: TurnEvent[] = [];
    const model = fakeProvider([call("small_walk"), "There."]);
    await using t = await startMcp({ small: small() }, { plugins: [model] });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_walk");
    const onEvent = (event: TurnEvent) => void (event.type === "tool_progress" && steps.push(event));
    await t.ask("walk", { ...yes, onEvent });
    expect(steps[0]).toMatchObject({ done: 1, total: 2, text: "mile 1" });
  });

  test("MCP-01: a turn that is stopped cancels its call at the server, which goes on with others", async () => {
    const stopping = new AbortController();
    await using t = await startMcp({ small: small() });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_wait");
    const waiting = t.call("small_wait", {}, { ...yes, signal: stopping.signal });
    expect(await t.call("small_learn", {}, yes)).toMatchObject({ text: "learnt" });
    stopping.abort();
    expect(await waiting).toMatchObject({ code: "TURN_CANCELLED" });
    await expect.poll(async () => (await t.call("small_count", {}, yes)).text).toBe("1 cancelled");
  });

  test("MCP-01: a call that takes longer than timeout_seconds fails with that reason", async () => {
    await using t = await startMcp({ small: small({ timeout_seconds: 1 }) });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_wait");
    expect(await t.call("small_wait", {}, yes)).toMatchObject({ code: "TOOL_TIMEOUT" });
  });

  test("MCP-01: its question for a form is put to the person, and their answer goes to the server", async () => {
    const [question, told] = await asked({}, { name: "Ada" });
    expect(question?.text).toBe("The MCP server small asks: Whose turn?");
    expect(told).toContain("accept Ada");
  });

  test("MCP-01: its question for a visit to an address is put to the person, who may decline", async () => {
    const [question, told] = await asked({ path: "https://example.com/login" }, { action: "decline" });
    expect(question?.url).toBe("https://example.com/login");
    expect(told).toContain("decline");
  });

  test("MCP-01: nobody can be asked: its question is cancelled, and the call goes on", async () => {
    await using t = await startMcp({ small: small() }, { plugins: [questions] });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_wonder");
    expect(await t.call("small_wonder", {}, yes)).toMatchObject({
      text: expect.stringMatching(/^cancel/) as string,
    });
  });

  test("MCP-01: a prompt of a server is a chat command, whose text is material", async () => {
    await using t = await startMcp({ small: small() });
    expect(t.slot(ChatCommands).has("small-greet")).toBe(false);
    await accept(t, "small");
    await expect.poll(() => t.slot(ChatCommands).has("small-greet")).toBe(true);
    const run = { args: "Ada", user: "chat:1", conversation: { session: "s" } };
    const given = await t
      .slot(ChatCommands)
      .get("small-greet")!
      .run(run as never);
    expect(given).toMatchObject({
      prompt: [{ type: "text" }, { text: "Say hello to Ada.", from: "MCP server small" }],
    });
  });

  test("MCP-01: its resources are listed and read by one tool", async () => {
    await using t = await startMcp({ small: small() });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_resource");
    expect(await t.call("small_resource", {}, yes)).toMatchObject({ text: "note:1 note" });
    const { text } = await t.call("small_resource", { uri: "note:1" }, yes);
    expect(text).toContain("what the note says");
  });

  test("MCP-01: with tool-index its tools are not sent, and are found by words", async () => {
    const found = [
      call("tool_search", { query: "learn" }),
      call("tool_call", { tool: "small_learn", args: {} }),
    ];
    const model = fakeProvider([...found, "done"]);
    const index = await bundledPlugin("tool-index");
    await using t = await startMcp({ small: small() }, { plugins: [model, index] });
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_learn");
    const { tool_calls } = await t.ask("go", yes);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["tool_call", "tool_search"]);
    expect(tool_calls.map(({ tool }) => tool)).toEqual(["tool_search", "small_learn"]);
  });
});
