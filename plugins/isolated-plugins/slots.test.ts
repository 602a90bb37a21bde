import { ChatCommands, type ChatCommandRun, Routes } from "@gantry/sdk";
import { Redactors } from "@gantry/sdk/fill";
import { callRoute, createMemoryStore, fakeNet, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { linux, startIsolated, until, written } from "./isolated.test-kit.ts";

const timeout = 180_000;

/** Code of a plugin with these facts and this setup. */
const code = (facts: string, setup: string): string => `
import * as sdk from "@gantry/sdk";
import * as fill from "@gantry/sdk/fill";
const { definePlugin, Tools, Store, Net, Inbox, Services, Redactors, Routes, ChatCommands, Observers, optional } = { ...fill, ...sdk };
const tool = (run) => ({ name: "tried", description: "Tries.", input: { type: "object", properties: { what: { type: "string" } } }, run });
export default definePlugin({ name: "tried", ${facts}, setup(host) { ${setup} } });
`;

const reader = code(
  "needs: { store: Store, net: optional(Net), inbox: Inbox }, provides: [Tools]",
  `host.provide(Tools, tool(async ({ args, signal }) => {
    const { values, sessions } = host.needs.store;
    if (args.what === "keep") {
      await values.put("tried", "at", { n: 7 });
      return JSON.stringify(await values.get("tried", "at"));
    }
    if (args.what === "wrong") await sessions.open({ id: 1 }, "cli:test");
    if (args.what === "more") await values.get("tried", "at", () => 1);
    if (args.what === "unlent") host.needs.store.lanes.onDue(() => undefined);
    if (args.what === "turn") {
      const message = sdk.directMessage({ channel: "cli", id: "1", from: "x", text: "inner", trust: "owner" });
      const { reply } = await host.needs.inbox.prompt(message, { signal, approvals: "none" });
      return reply;
    }
    const answer = await host.needs.net.fetch({ url: "https://one.test/page", signal });
    return answer.status + " " + answer.headers.get("x-told") + " " + await answer.text();
  }));`,
);
const readerFacts = { needs: ["store", "net", "inbox"], provides: ["tools"] };

test.runIf(linux)(
  "ISO-01: an isolated plugin asks the slots that it needs, and each is checked",
  { timeout },
  async () => {
    const replies = [{ headers: { "x-told": "so" }, pieces: ["one ", "two"] }];
    const store = createMemoryStore();
    await using t = await startIsolated(written(readerFacts, reader), {
      plugins: [
        memoryStore(store),
        fakeNet([{ url: "https://one.test/page", replies }]),
        fakeProvider(["Inner answer."]),
      ],
    });
    const said = async (what: string): Promise<string> => (await t.call("tried", { what })).text;
    expect(await said("keep")).toBe('{"n":7}');
    expect(await store.values.get("tried", "at")).toEqual({ n: 7 });
    expect(await said("net")).toBe("200 so one two");
    expect(await said("turn")).toBe("Inner answer.");
    expect(await said("wrong")).toMatch(
      /asked store.sessions.open with an argument that it does not take, number 1/,
    );
    expect(await said("more")).toMatch(
      /asked store.values.get with an argument that it does not take, number 3/,
    );
    expect(await said("unlent")).toMatch(/onDue is not a function/);
  },
);

test.runIf(linux)("ISO-01: a slot that the package does not state is not lent", { timeout }, async () => {
  const file = written({ ...readerFacts, needs: ["net", "inbox"] }, reader);
  await expect(startIsolated(file, { plugins: [memoryStore()] })).rejects.toMatchObject({
    code: "ISOLATED_FACTS",
  });
});

test.runIf(linux)(
  "ISO-01: a slot that the plugin cannot live without stops the start if it is empty",
  { timeout },
  async () => {
    await expect(startIsolated(written(readerFacts, reader))).rejects.toMatchObject({
      code: "ISOLATED_EMPTY",
    });
  },
);

const model = code(
  `taps: ["resolveProvider"]`,
  `host.hooks.resolveProvider.tap(() => ({
    name: "tried",
    capabilities: { nativeToolCalling: true, vision: false, streaming: true },
    async *chat({ messages, signal }) {
      const said = messages.at(-1).parts[0].text;
      if (said === "exit") process.exit(5);
      for (const text of ["You ", "said ", said]) yield { type: "text", text };
      if (said === "wait") {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return yield { type: "error", failure: { code: "PROVIDER_CANCELLED", message: "Cancelled." , retryable: false } };
      }
      yield { type: "usage", inputTokens: 1, outputTokens: 1 };
      yield { type: "stop", reason: "EndTurn" };
    },
  }));`,
);

test.runIf(linux)(
  "ISO-01: an isolated provider streams its answer, and a dead one ends the turn",
  { timeout },
  async () => {
    await using t = await startIsolated(written({ taps: ["resolveProvider"] }, model), {
      bounds: { backoffMs: 10 },
    });
    const pieces: string[] = [];
    const { reply } = await t.ask("hello", {
      onEvent: (event) => void (event.type === "delta" && pieces.push(event.text)),
    });
    expect(reply).toBe("You said hello");
    const abort = new AbortController();
    const cut = t.ask("wait", {
      signal: abort.signal,
      onEvent: (event) => void (event.type === "delta" && abort.abort()),
    });
    expect(await cut).toMatchObject({ reply: "You ", error: { code: "PROVIDER_CANCELLED" } });
    expect(await t.ask("exit").catch((error: unknown) => error)).toMatchObject({
      error: { message: expect.stringContaining("exit code 5") },
    });
    await until(async () => (await t.ask("hello").catch(() => ({ reply: "" }))).reply === "You said hello");
  },
);

const around = code(
  "provides: [ChatCommands, Observers, Redactors, Routes, Services, Tools]",
  `let [turns, starts] = [0, 0];
  host.provide(ChatCommands, {
    name: "tried", summary: "Tries.",
    run: async ({ args, conversation }) => \`\${args} in \${conversation.session} of \${(await conversation.model()).model}\`,
  });
  host.provide(Observers, { name: "tried", turnStarted() { turns++; } });
  host.provide(Redactors, { name: "tried", holdBack: 10, redact: (text) => text.replaceAll("canary", "[gone]") });
  host.provide(Routes, {
    name: "GET /tried", method: "GET", path: "/tried", auth: "none", summary: "Tries.",
    handle: async ({ query }) => ({ status: 200, stream: (async function* () { yield Buffer.from("a "); yield Buffer.from(query.b); })() }),
  });
  host.provide(Services, { name: "tried", always: true, start: async () => { starts++; }, stop: async () => {} });
  host.provide(Tools, tool(async ({ args }) => args.what === "exit" ? process.exit(1) : \`\${turns} turns, \${starts} starts\`));`,
);
const aroundFacts = {
  provides: ["chat-commands", "observers", "redactors", "routes", "services", "tools"],
};

test.runIf(linux)(
  "ISO-01: commands, observers, redactors, routes and services answer from their process",
  { timeout },
  async () => {
    await using t = await startIsolated(written(aroundFacts, around), {
      bounds: { backoffMs: 10 },
      plugins: [fakeProvider(["A canary sings."]), memoryStore()],
    });
    await t.serve();
    await t.ask("hello");
    expect(await t.slot(Redactors).get("tried")!.redact("a canary")).toBe("a [gone]");
    const conversation = { session: "one", model: async () => ({ model: "m-1" }) };
    const run = { args: "asked", conversation } as unknown as ChatCommandRun;
    expect(await t.slot(ChatCommands).get("tried")!.run(run)).toBe("asked in one of m-1");
    const reply = await callRoute(t.slot(Routes).get("GET /tried")!, { path: "/tried?b=b" });
    expect(reply.text).toBe("a b");
    expect((await t.call("tried", {})).text).toBe("1 turns, 1 starts");
    await t.call("tried", { what: "exit" });
    await until(async () => (await t.call("tried", {})).text === "0 turns, 1 starts");
  },
);
