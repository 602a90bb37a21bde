import { Store, textOf } from "@gantry/sdk";
import {
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import netUndici from "../plugins/net-undici/index.ts";
import chatCompletions from "../plugins/provider-chat-completions/index.ts";
import commands from "../plugins/slash-words/index.ts";
import { startGateway } from "../plugins/gateway-http/gateway.test-kit.ts";
import usage from "../plugins/usage-ledger/index.ts";
import { chatCommand, gate, guard, tool } from "./helpers/plugins.ts";
import { startModel } from "./helpers/model.ts";
import { storeFile } from "./helpers/stores.ts";

const asks = guard("ask", () => ({ verdict: "ask", code: "ASK", reason: "a person decides" }));
const call = { calls: [{ name: "work", args: {} }] };

async function start(
  script: Parameters<typeof fakeProvider>[0],
  ...plugins: Parameters<typeof startTestHost>[0]["plugins"]
) {
  const model = fakeProvider(script);
  const store = createMemoryStore();
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const t = await startTestHost({
    plugins: [commands, usage, model, memoryStore(store), channel, ...plugins],
  });
  const said = (): readonly string[] => channel.sent.map(({ text }) => text);
  /** Sends a message and gives what comes next. */
  const talk = async (text: string, from = "alice", more: object = {}): Promise<string> => {
    const count = channel.sent.length + 1;
    await channel.receive({ text, from, ...more });
    await channel.sentCount(count);
    return said().at(-1) ?? "";
  };
  return Object.assign(t, { model, store, channel, said, talk });
}

test("TTY-02: /help lists the same words in the terminal and in a channel; an unknown word is answered by the service", async () => {
  await using t = await start(["ok"]);
  await t.serve();
  const words = [
    "approve",
    "compact",
    "deny",
    "help",
    "model",
    "new",
    "resume",
    "rewind",
    "sessions",
    "stop",
    "tools",
    "usage",
  ];
  const { reply } = await t.ask("/help");
  expect(reply.match(/^\/[a-z]+/gm)).toEqual(words.map((word) => `/${word}`));
  expect(await t.talk("/help")).toBe(reply);
  expect(await t.talk("/foo bar")).toMatch(/^There is no command \/foo for you\. There are: \/approve/);
  expect((await t.ask("/foo")).reply).toContain("Write // to begin a message with a slash.");
  expect(t.model.requests).toEqual([]);
});

test("TTY-02: // sends a slash, and a path is no command", async () => {
  await using t = await start(["ok"]);
  await t.ask("//help me");
  await t.ask("/etc/hosts is empty");
  expect(t.model.requests.map(({ messages }) => textOf(messages.at(-1)?.parts ?? []))).toEqual([
    "/help me",
    "/etc/hosts is empty",
  ]);
});

test("CTX-05: /new begins anew in a channel and keeps what was before, /sessions lists it, /resume goes on with it", async () => {
  await using t = await start(["one", "two", "three"]);
  await t.serve();
  await t.talk("my dog is Rex");
  const began = await t.talk("/new");
  const id = /\/resume ([0-9a-f]{8})$/.exec(began)?.[1] as string;
  expect(began).toBe(`A new conversation begins. What was before: /resume ${id}`);
  await t.talk("who am I?");
  expect(t.model.requests[1]?.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  expect(await t.talk("/sessions")).toMatch(new RegExp(`^this one - 1 turn.*\\n/resume ${id} - 1 turn`));
  expect(await t.talk(`/resume ${id}`)).toBe(`The conversation ${id} goes on.`);
  await t.talk("and my dog?");
  const texts = t.model.requests[2]?.messages.map(({ parts }) => textOf(parts));
  expect(texts?.slice(1)).toEqual(["my dog is Rex", "one", "and my dog?"]);
});

test("CTX-05: nobody resumes somebody else's conversation", async () => {
  await using t = await start(["one", "two"]);
  await t.serve();
  await t.talk("mine");
  const id = /([0-9a-f]{8})$/.exec(await t.talk("/new"))?.[1] as string;
  expect(await t.talk(`/resume ${id}`, "bob")).toContain("There is no such conversation of yours");
  expect(await t.talk("/resume fake:alice", "bob")).toContain("There is no such conversation of yours");
  expect(await t.talk("/sessions", "bob")).toBe("There is no earlier conversation.");
});

test("CTX-05: a command that a platform delivers twice is done once", async () => {
  await using t = await start(["one", "two"]);
  await t.serve();
  await t.talk("first");
  await t.talk("second");
  await t.channel.receive({ text: "/rewind", id: "same" });
  await t.channel.sentCount(3);
  await t.channel.receive({ text: "/rewind", id: "same" });
  await t.talk("/help");
  expect((await t.store.sessions.recent("fake:alice", 9)).length).toBe(2);
  expect(t.said().filter((text) => text.startsWith("The last turn"))).toHaveLength(1);
});

test("CTX-05: CTX-07: a command whose process died at it is not done twice when the platform delivers it again: its sender is told, once", async () => {
  await using t = await start(["one", "two"]);
  await t.serve();
  await t.talk("first");
  await t.talk("second");
  const { lanes } = t.store;
  const post = lanes.post.bind(lanes);
  // The turn is taken back, and nothing of that is kept.
  lanes.post = () => Promise.reject(new Error("the process ended"));
  await expect(t.channel.receive({ text: "/rewind 1", id: "same" })).rejects.toThrow("the process ended");
  lanes.post = post;
  for (const _ of [1, 2]) await t.channel.receive({ text: "/rewind 1", id: "same" });
  expect(await t.talk("/help")).toContain("/rewind");
  expect(t.said().filter((text) => text.startsWith("I was interrupted at /rewind, "))).toHaveLength(1);
  expect((await t.store.sessions.recent("fake:alice", 9)).length).toBe(2);
});

test("CTX-05: INB-03: a command that takes long holds up neither its channel nor anybody's words, is done once, and says its result when it is there", async () => {
  const { opened, open } = gate();
  let runs = 0;
  const slow = chatCommand("slow", async () => {
    runs += 1;
    await opened;
    return "done at last";
  });
  await using t = await start(["hello"], slow);
  await t.serve();
  expect(await t.channel.receive({ text: "/slow", id: "s" })).toBe("accepted");
  expect(await t.channel.receive({ text: "/slow", id: "s" })).toBe("accepted");
  expect(await t.talk("hi", "bob")).toBe("hello");
  expect(await t.talk("/usage")).toMatch(/^Today/);
  expect([runs, t.said().includes("done at last")]).toEqual([1, false]);
  open();
  await expect.poll(() => t.said()).toContain("done at last");
  await t.channel.receive({ text: "/slow", id: "s" });
  expect(await t.talk("/help")).toContain("/slow");
  expect([runs, t.said().filter((text) => text === "done at last").length]).toEqual([1, 1]);
});

test("CTX-05: CTX-07: whose long command was cut off with its process is told at the next start, once", async () => {
  const kept = storeFile();
  const { opened, open } = gate();
  const slow = chatCommand("slow", () => opened.then(() => "too late"));
  const [before, after] = [fakeChannel("fake"), fakeChannel("fake")];
  await using first = await startTestHost({ plugins: [slow, fakeProvider(["one"]), kept.plugin(), before] });
  await first.serve();
  await before.receive({ text: "/slow down", id: "s" });
  await using next = await startTestHost({ plugins: [slow, fakeProvider(["two"]), kept.plugin(), after] });
  await next.serve();
  await after.sentCount(1);
  await after.receive({ text: "/slow down", id: "s" });
  await after.receive({ text: "hi" });
  await after.sentCount(2);
  open();
  expect(after.sent.map(({ text }) => text).toSorted()).toEqual([
    expect.stringMatching(/^I was interrupted at \/slow, /),
    "two",
  ]);
  expect(before.sent).toEqual([]);
});

test("CTX-05: a service that stops gives a command that is under way its time", async () => {
  const { opened, open } = gate();
  const slow = chatCommand("slow", () => opened.then(() => "in time"));
  await using t = await start(["one"], slow);
  await t.serve();
  await t.channel.receive({ text: "/slow" });
  const stopped = t.stop();
  open();
  await stopped;
  expect((await t.store.lanes.page("waiting", 5)).map(({ isAnswered }) => isAnswered)).toEqual([true]);
});

test("CTX-05: /stop ends a turn that runs and whose question is open, says so once, and its message is not begun again", async () => {
  const { opened, open } = gate();
  await using t = await start([{ text: "never", after: opened }, "next"]);
  await t.serve();
  await t.channel.receive({ text: "go" });
  await expect.poll(() => t.model.requests.length).toBe(1);
  await t.channel.receive({ text: "/stop" });
  await t.channel.sentCount(1);
  open();
  expect(await t.talk("and now?")).toBe("next");
  expect(t.said()).toEqual(["Stopped.", "next"]);
  expect(await t.talk("/stop")).toBe("Nothing runs here.");
});

test("CTX-05: /approve and /deny decide an open question, the owner's alone", async () => {
  const ran: string[] = [];
  const work = tool("work", async () => String(ran.push("work")));
  await using t = await start([call, "done", call, "not done"], asks, work);
  await t.serve();
  await t.channel.receive({ text: "go" });
  await t.channel.sentCount(1);
  expect(await t.talk("/help")).toContain("/approve [id]");
  expect(await t.talk("/approve", "bob")).toContain("There is no command /approve for you.");
  await t.channel.receive({ text: "/approve" });
  await expect.poll(() => t.said()).toEqual(expect.arrayContaining(["work: allowed.", "done"]));
  await t.channel.receive({ text: "again" });
  await expect.poll(() => t.said().filter((text) => text.startsWith("May work run this?")).length).toBe(2);
  await t.channel.receive({ text: "/deny" });
  await expect.poll(() => t.said()).toEqual(expect.arrayContaining(["work: denied.", "not done"]));
  expect(ran).toEqual(["work"]);
});

test("CTX-05: /rewind 2 takes two turns back, and tells how many where there are fewer", async () => {
  await using t = await start(
    ["one", "two", "three", "four"],
    tool("work", async () => ""),
  );
  for (const text of ["first", "second", "third"]) await t.ask(text);
  expect((await t.ask("/rewind 2")).reply).toContain("The last 2 turns are taken out");
  await t.ask("fourth");
  const heard = t.model.requests.at(-1)?.messages.map(({ parts }) => textOf(parts));
  expect(heard?.slice(1)).toEqual(["first", "one", "fourth"]);
  expect((await t.ask("/rewind 9")).reply).toContain("The last 2 turns are taken out");
  expect((await t.ask("/rewind")).reply).toBe("There is no turn to take out.");
});

test("CTX-05: /rewind takes the last turn back, /model changes who answers here alone, /tools and /usage tell", async () => {
  const work = tool("work", async () => "");
  await using t = await start(["one", "two", "three"], work);
  await t.ask("first");
  await t.ask("second");
  expect((await t.ask("/rewind all")).reply).toContain("/rewind takes a number of turns");
  expect((await t.ask("/rewind")).reply).toContain("The last turn is taken out");
  expect((await t.ask("/model large")).reply).toContain("From the next message on: large");
  expect(await t.ask("third")).toMatchObject({ model: "large" });
  expect(
    t.model.requests
      .at(-1)
      ?.messages.map(({ parts }) => textOf(parts))
      .slice(1),
  ).toEqual(["first", "one", "third"]);
  expect(await t.ask("elsewhere", { session: "other" })).toMatchObject({ model: null });
  await t.ask("/model default");
  expect(await t.ask("fourth")).toMatchObject({ model: null });
  expect((await t.ask("/tools")).reply).toBe("work - The tool work.");
  await expect
    .poll(async () => (await t.ask("/usage")).reply)
    .toMatch(/^Today \(UTC\): 5 requests, 50 tokens in/);
  expect(t.slot(Store)).toBe(t.store);
});

test("TTY-02: /model alone lists what can be chosen, or says why it cannot", async () => {
  await using t = await start(["ok"]);
  expect((await t.ask("/model")).reply).toBe(
    "its default model (the configured provider).\n/model NAME chooses one of:\nfake-1",
  );
  await using model = await startModel("ok");
  const plugins = [commands, memoryStore(), netUndici, chatCompletions];
  await using without = await startTestHost({ plugins, config: { default_provider: model.provider } });
  expect((await without.ask("/model")).reply).toMatch(
    /^its default model .*\n.*No models can be listed: \S/s,
  );
});

test("CTX-05: over HTTP a command is answered like anything else, plain and streamed, and a device lists its own conversations alone", async () => {
  const model = fakeProvider(["one", "two"]);
  const plugins = [commands, model, memoryStore()];
  await using gateway = await startGateway({ plugins, gateway: { require_pairing: true } });
  const [first, second] = [await gateway.pair("first"), await gateway.pair("second")];
  const say = async (token: string, message: string, more: object = {}): Promise<string> => {
    const { status, text } = await gateway.ask("/api/chat", {
      token,
      body: { message, session_id: "s1", ...more },
    });
    return `${status} ${text}`;
  };
  expect(await say(first.token, "hello")).toContain('"reply":"one"');
  expect(await say(first.token, "/sessions")).toMatch(/^200 .*this one - 1 turn/);
  expect(await say(first.token, "/nothing", { stream: true })).toContain(
    "There is no command /nothing for you.",
  );
  expect(await say(second.token, "/new")).toContain("SESSION_FOREIGN");
  expect(model.requests).toHaveLength(1);
});

test("CTX-05: SEC-17: in a group a guest neither changes nor lists the conversation, which is others' too; members do", async () => {
  await using t = await start(["one", "two"]);
  await t.serve();
  const group = { conversation: { id: "g1", kind: "group" }, replyTo: "g1" };
  const [guest, member] = [
    { ...group, trust: "guest" },
    { ...group, trust: "member" },
  ];
  await t.talk("hello", "alice", group);
  for (const word of ["/stop", "/new", "/sessions", "/resume", "/rewind", "/compact"])
    expect(await t.talk(word, "mallory", guest)).toBe(
      `There is no command ${word} for you. There are: /help /usage. Write // to begin a message with a slash.`,
    );
  expect(await t.talk("/help", "mallory", guest)).toMatch(/^\/help - these words\n\/usage - /);
  expect(await t.talk("/stop", "mallory", { trust: "guest" })).toBe("Nothing runs here.");
  expect(await t.talk("/sessions", "bob", member)).toContain("this one - 1 turn");
  expect(await t.talk("/rewind", "bob", member)).toBe(
    "The last turn is taken out; what tools did in it stays done.",
  );
});
