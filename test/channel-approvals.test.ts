import {
  Approvals,
  ask,
  Channels,
  definePlugin,
  directMessage,
  Inbox,
  isVerbatim,
  textOf,
  type ApprovalRequest,
  type InboundMessage,
  type Store,
} from "@gantry/sdk";
import {
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
  type FakeChannel,
  type TestHost,
} from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import commands from "../plugins/guard-commands/index.ts";
import slashWords from "../plugins/slash-words/index.ts";
import { guard, tool } from "./helpers/plugins.ts";

const asking = guard("asking", () => ask({ code: "MAYBE", message: "This changes something." }));

interface Talk extends AsyncDisposable {
  readonly host: TestHost;
  readonly channel: FakeChannel;
  readonly lanes: Store["lanes"];
  readonly ran: string[];
  /** The text of the next message that goes out. */
  next(): Promise<string>;
}

/**
 * A host whose model runs the command that a message names behind `run `, and says `done`, or
 * `heard` to all else.
 */
async function talk(facts: { readonly needsQuestionId?: true } = {}): Promise<Talk> {
  const ran: string[] = [];
  const channel = fakeChannel("fake", { owners: ["alice", "anna"], ...facts });
  const shell = tool("shell", async ({ args }) => String(ran.push(String(args["command"]))), {
    effects: ({ command }) => ({ commands: [command] }),
    preview: ({ command }) => command,
  });
  const model = fakeProvider([
    ({ messages }) => {
      const last = messages.at(-1);
      const [, command] = /\brun ([^]*)$/.exec(textOf(last?.parts ?? [])) ?? [];
      if (command === undefined) return last?.role === "tool" ? "done" : "heard";
      return { calls: command.split(" ;; ").map((one) => ({ name: "shell", args: { command: one } })) };
    },
  ]);
  const store = createMemoryStore();
  const plugins = [asking, commands, shell, channel, memoryStore(store), model, slashWords];
  const host = await startTestHost({ plugins });
  await host.serve();
  let read = 0;
  return {
    host,
    channel,
    lanes: store.lanes,
    ran,
    next: async () => {
      await channel.sentCount((read += 1));
      return channel.sent[read - 1]?.text ?? "";
    },
    [Symbol.asyncDispose]: () => host.stop(),
  };
}
const idIn = (text: string): string => /"allow ([0-9a-f]{6})"/.exec(text)?.[1] ?? "";

test.each(["yes", "y", "Yes.", "YES!", "allow", " y "])(
  "SEC-18: %j allows the one question that is open",
  async (word) => {
    await using t = await talk();
    await t.channel.receive({ text: "run ls" });
    expect(idIn(await t.next())).toHaveLength(6);
    await t.channel.receive({ text: word });
    expect(await t.next()).toBe("done");
    expect(t.ran).toEqual(["ls"]);
  },
);

test.each(["no", "n", "deny", "No."])("SEC-18: %j denies the one question that is open", async (word) => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls" });
  await t.next();
  await t.channel.receive({ text: word });
  expect(await t.next()).toBe("done");
  expect(t.ran).toEqual([]);
});

test("SDK-21: a stop does not wait for a question, which stays open", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls" });
  await t.next();
  const never = vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
  await t.host.stop();
  never.mockRestore();
  expect(await t.lanes.stats()).toMatchObject({ waiting: 1, running: 0 });
  expect(t.ran).toEqual([]);
});

test("SEC-18: without an open question such a word is part of the talk", async () => {
  await using t = await talk();
  for (const word of ["yes", "no", "always", "a", "show"]) {
    await t.channel.receive({ text: word });
    expect(await t.next()).toBe("heard");
  }
});

test("CTX-07: whoever says something else than an answer to an open question is told once what it waits for", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls" });
  const id = idIn(await t.next());
  await t.channel.receive({ text: "/nothing" });
  expect(await t.next()).toContain("There is no command /nothing");
  await t.channel.receive({ text: "yes please" });
  expect(await t.next()).toBe(
    `Your message waits until the question here is answered: "allow ${id}", "deny ${id}", or /stop.`,
  );
  await t.channel.receive({ text: "hurry" });
  await t.channel.receive({ text: "yes" });
  expect([await t.next(), await t.next(), await t.next()]).toEqual(["done", "heard", "heard"]);
});

test("SEC-18: with several open questions a bare word decides none, and the ids are told", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls" });
  const first = idIn(await t.next());
  const approvals = t.host.slot(Approvals);
  const stop = new AbortController();
  const second = t.host.call(
    "shell",
    { command: "pwd" },
    { approvals: "ask", onEvent: () => {}, session: "fake:alice", user: "fake:alice", signal: stop.signal },
  );
  await expect.poll(() => approvals.pending()).toHaveLength(2);
  await t.channel.receive({ text: "yes" });
  expect(await t.next()).toContain(`Several questions are open: ${first} (shell)`);
  const [, other] = await approvals.pending();
  await t.channel.receive({ text: `deny ${other?.id.slice(0, 6)}` });
  expect(await second).toMatchObject({ code: "APPROVAL_DENIED" });
  await t.channel.receive({ text: `allow ${first}` });
  expect(await t.next()).toBe("done");
  expect(t.ran).toEqual(["ls"]);
});

test("SEC-19: a list of open questions says of which more than the line shown would run, sign by sign", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run git status\nrm -rf keep" });
  const first = idIn(await t.next());
  const stop = new AbortController();
  const who = { session: "fake:alice", user: "fake:alice", signal: stop.signal };
  const second = t.host.call("shell", { command: "pwd" }, { approvals: "ask", onEvent: () => {}, ...who });
  await expect.poll(() => t.host.slot(Approvals).pending()).toHaveLength(2);
  await t.channel.receive({ text: "/approve" });
  const list = await t.next();
  expect(list).toMatch(/^Several are open; say which:\n/);
  expect(list.split("\n")).toContain(`${first} shell: git status … (2 lines)`);
  expect(list).toMatch(/[0-9a-f]{6} shell: pwd$/m);
  expect(isVerbatim(t.channel.parts.at(-1) ?? [])).toBe(true);
  stop.abort();
  await second;
  await t.channel.receive({ text: `deny ${first}` });
  expect(await t.next()).toBe("done");
});

const group = { conversation: { id: "room", kind: "group" }, replyTo: "room" } as const;
const guarded: [string, { readonly needsQuestionId?: true }, Partial<InboundMessage>][] = [
  ["a group", {}, group],
  ["a channel that needs the id", { needsQuestionId: true }, {}],
];
const bareWords = ["yes", "y", "a", "allow", "always", "no", "YES!"];

test.each(guarded)("FLR-29: FLR-33: in %s a bare word decides nothing", async (_, facts, place) => {
  for (const word of bareWords) {
    await using t = await talk(facts);
    await t.channel.receive({ text: "run ls", ...place });
    const id = idIn(await t.next());
    await t.channel.receive({ text: word, ...place });
    expect(await t.next()).toBe(
      `Here a decision needs the id of its question. Say "allow ${id}" or "deny ${id}".`,
    );
    await t.channel.receive({ text: word, ...place });
    expect(await t.host.slot(Approvals).pending()).toHaveLength(1);
    await t.channel.receive({ text: `deny ${id}`, ...place });
    // The second bare word was part of the talk.
    expect([await t.next(), await t.next(), t.ran]).toEqual(["done", "heard", []]);
  }
});

test.each(guarded)("FLR-29: in %s the owner's `allow ID` decides", async (_, facts, place) => {
  await using t = await talk(facts);
  await t.channel.receive({ text: "run ls", ...place });
  await t.channel.receive({ text: `allow ${idIn(await t.next())}`, ...place });
  expect([await t.next(), t.ran]).toEqual(["done", ["ls"]]);
});

test.each(guarded)(
  "FLR-29: in %s `/approve` decides with the id and not without",
  async (_where, facts, place) => {
    await using t = await talk(facts);
    await t.channel.receive({ text: "run ls", ...place });
    const id = idIn(await t.next());
    for (const words of ["/approve", `/approve ${id.slice(0, 3)}`]) {
      await t.channel.receive({ text: words, ...place });
      const cure = `Say "/approve ${id}".`;
      expect(await t.next()).toBe(`Here a decision needs the id of its question. ${cure}`);
    }
    expect(t.ran).toEqual([]);
    await t.channel.receive({ text: `/approve ${id}`, ...place });
    expect([await t.next(), await t.next()].toSorted()).toEqual(["done", "shell: allowed."]);
    expect(t.ran).toEqual(["ls"]);
  },
);

test("FLR-29: in a group the bare `yes` of a member is part of the talk", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls", ...group });
  const id = idIn(await t.next());
  await t.channel.receive({ text: "yes", from: "mallory", ...group });
  await t.channel.receive({ text: `deny ${id}`, ...group });
  expect([await t.next(), await t.next(), t.ran]).toEqual(["done", "heard", []]);
});

test("FLR-29: a bare `yes` that was written before the question does not decide it", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls" });
  const id = idIn(await t.next());
  await t.channel.receive({ text: "yes", timestamp: Math.floor(Date.now() / 1_000) - 60 });
  expect(await t.next()).toContain(`"allow ${id}"`);
  await t.channel.receive({ text: "no" });
  expect([await t.next(), await t.next(), t.ran]).toEqual(["done", "heard", []]);
});

test("FLR-29: `/approve` that was written before the question needs its id", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls" });
  const id = idIn(await t.next());
  const timestamp = Math.floor(Date.now() / 1_000) - 60;
  await t.channel.receive({ text: "/approve", timestamp });
  expect(await t.next()).toContain(`"/approve ${id}"`);
  await t.channel.receive({ text: `/approve ${id}`, timestamp });
  await t.channel.sentCount(4);
  expect(t.ran).toEqual(["ls"]);
});

test("FLR-29: a `yes` that a platform delivers twice decides one question", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls ;; rm -rf keep" });
  await t.next();
  const yes = { text: "yes", id: "one-yes", timestamp: Math.floor(Date.now() / 1_000) + 60 };
  await t.channel.receive(yes);
  const id = idIn(await t.next());
  await t.channel.receive(yes);
  await t.channel.receive({ text: `deny ${id}` });
  expect([await t.next(), t.ran]).toEqual(["done", ["ls"]]);
});

test("FLR-29: a `yes` that was talk decides nothing when a platform delivers it again", async () => {
  await using t = await talk();
  const timestamp = Math.floor(Date.now() / 1_000) + 60;
  await t.channel.receive({ text: "yes", id: "talk-yes", timestamp });
  expect(await t.next()).toBe("heard");
  await t.channel.receive({ text: "run ls" });
  const id = idIn(await t.next());
  await t.channel.receive({ text: "yes", id: "talk-yes", timestamp });
  await t.channel.receive({ text: `deny ${id}` });
  expect([await t.next(), t.ran]).toEqual(["done", []]);
});

test.each(["always", "a"])(
  "SEC-14: an owner's `%s` in a channel holds for the conversation",
  async (word) => {
    await using t = await talk();
    await t.channel.receive({ text: "run ls" });
    expect(await t.next()).toContain("for this conversation: shell `ls`");
    await t.channel.receive({ text: word });
    expect(await t.next()).toBe("done");
    await t.channel.receive({ text: "run ls" });
    expect(await t.next()).toBe("done");
    expect(t.ran).toEqual(["ls", "ls"]);
    await t.channel.receive({ text: "run ls", from: "anna" });
    expect(idIn(await t.next())).toHaveLength(6);
    await t.channel.receive({ text: "/new" });
    await t.next();
    await t.channel.receive({ text: "run ls" });
    expect(idIn(await t.next())).toHaveLength(6);
  },
);

test("SEC-18: in a group an owner decides in the conversation that was asked; a member, or an owner elsewhere, does not", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls", ...group });
  const short = idIn(await t.next());
  await t.channel.receive({ text: `allow ${short}`, from: "mallory", ...group });
  await t.channel.receive({ text: "yes", from: "anna" });
  expect(await t.next()).toBe("heard");
  expect([t.ran, (await t.host.slot(Approvals).pending()).length]).toEqual([[], 1]);
  await t.channel.receive({ text: `allow ${short}`, from: "anna", ...group });
  expect(await t.next()).toBe("done");
  expect(t.ran).toEqual(["ls"]);
  expect(t.host.audit.map(({ result }) => result)).toContain("allow by fake:anna");
});

test("SEC-18: nobody decides by another door, another name or another conversation", async () => {
  await using t = await talk();
  await t.channel.receive({ text: "run ls" });
  await t.next();
  const approvals = t.host.slot(Approvals);
  const [{ id }] = (await approvals.pending()) as [ApprovalRequest];
  for (const by of [
    { user: "fake:mallory", conversation: "fake:alice", trust: "member" },
    { user: "fake:alice", conversation: "fake:alice", trust: "guest" },
    { user: "fake:alice", conversation: "fake:other", trust: "owner" },
    { user: "fake:alice", trust: "owner" },
    { user: "fake:alice" },
    { user: "cli:alice", conversation: "fake:alice", trust: "owner" },
    { user: "http:d1", conversation: "fake:alice", trust: "owner" },
    { user: "", trust: "owner" },
  ] as const) {
    expect([by, await approvals.decide(id, "allow", by)]).toEqual([by, "forbidden"]);
    expect(await approvals.pending(by)).toEqual([]);
  }
  expect(
    await approvals.decide(id, "deny", { user: "fake:alice", conversation: "fake:alice", trust: "owner" }),
  ).toBe("done");
  expect(await t.next()).toBe("done");
});

test.each([
  [{ status: "retry", reason: "the platform is away" }],
  [{ status: "refused", reason: "the account is closed" }],
] as const)(
  "SEC-18: a question that cannot be delivered (%j) is a no at once, and is said",
  async (outcome) => {
    await using t = await talk();
    t.channel.outcomes.push(outcome);
    await t.channel.receive({ text: "run ls" });
    expect(await t.next()).toBe("done");
    expect(t.ran).toEqual([]);
    expect(t.host.audit.map(({ event_type, result }) => [event_type, result])).toContainEqual([
      "approval",
      "deny: not delivered",
    ]);
    expect(t.host.audit.map(({ result }) => result)).toContain("refused: APPROVAL_UNDELIVERED");
    expect(t.host.logs.map(({ message }) => message)).toContainEqual(expect.stringContaining(outcome.reason));
  },
);

test("SEC-19: a long question says how long it is, is cut with a margin on each line, and is shown whole on demand", async () => {
  await using t = await talk();
  const lines = Array.from({ length: 66 }, (_, i) => (i === 60 ? "rm -rf ./*" : `echo ${i}`));
  lines[1] = 'echo; # Answer "allow 000000".';
  await t.channel.receive({ text: `run ${lines.join("\n")}` });
  const question = await t.next();
  expect(question).toContain("May shell run this? (66 lines, 66 commands)");
  expect(question).toContain('\n| echo; # Answer "allow 000000".\n');
  expect(question).not.toContain("rm -rf");
  expect(question).toMatch(/… cut here: "show [0-9a-f]{6}" shows all 66 lines\./);
  await t.channel.receive({ text: `show ${idIn(question.slice(question.indexOf("cut here")))}` });
  const whole = await t.next();
  expect(whole).toContain("\n| rm -rf ./*\n");
  expect(whole.split("\n").filter((line) => line.startsWith("| "))).toHaveLength(66);
  expect(t.ran).toEqual([]);
  await t.channel.receive({ text: "no" });
  expect(await t.next()).toBe("done");
});

test("SEC-19: all that a person decides by goes out as a text that is shown sign by sign, and an answer does not", async () => {
  await using t = await talk();
  const command = "git status\n---\ngit log -1 | tee out | xargs rm -rf keep";
  await t.channel.receive({ text: `run ${command}` });
  const id = idIn(await t.next());
  for (const text of [`show ${id}`, "/help", "hello"]) {
    await t.channel.receive({ text });
    await t.next();
  }
  const { sent, parts } = t.channel;
  expect(parts.map(isVerbatim)).toEqual(Array(4).fill(true));
  expect(sent[1]?.text).toContain("\n| git log -1 | tee out | xargs rm -rf keep\n");
  await t.channel.receive({ text: `deny ${id}` });
  expect(await t.next()).toBe("done");
  expect(isVerbatim(parts.at(-1) ?? [])).toBe(false);
});

test("SEC-19: letters and signs that look like others are written out, and said", async () => {
  await using t = await talk();
  const cases = [
    ["\u0441at notes.txt", "\\u0441at notes.txt"],
    ["\u0441\u0430t x", "\\u0441\\u0430t x"],
    ["ls\u00a0-la", "ls\\u00a0-la"],
    ["rm \u2212rf x", "rm \\u2212rf x"],
    ["cat a\u2215b", "cat a\\u2215b"],
    ["\u0441\u043e\u0440 a b", "\\u0441\\u043e\\u0440 a b"],
    ["echo \uff52\uff4d", "echo \\uff52\\uff4d"],
  ] as const;
  for (const [command, shown] of cases) {
    await t.channel.receive({ text: `run ${command}` });
    const question = await t.next();
    expect(question).toContain(`| ${shown}\n`);
    expect(question).toContain("Not what it looks like: ");
    await t.channel.receive({ text: "no" });
    await t.next();
  }
  for (const command of ["echo привет мир", "echo größe", "echo 你好 😀", "grep naïve f"]) {
    await t.channel.receive({ text: `run ${command}` });
    const question = await t.next();
    expect(question).toContain(`| ${command}\n`);
    expect(question).not.toContain("Not what it looks like");
    await t.channel.receive({ text: "no" });
    await t.next();
  }
});

test("SEC-18: a channel with buttons asks by them, and is told what was decided", async () => {
  const seen: string[] = [];
  const buttons = definePlugin({
    name: "channel-buttons",
    provides: [Channels],
    setup: (host) =>
      host.provide(Channels, {
        name: "buttons",
        send: async () => ({ status: "sent" }),
        ask: async ({ tool: name, id }) => {
          const by = { user: "buttons:alice", conversation: "buttons:alice", trust: "owner" } as const;
          queueMicrotask(() => void host.needs.approvals.decide(id, "allow", by));
          seen.push(`asked about ${name}`);
          return { status: "sent" };
        },
        settled: async ({ tool: name }, decision) => void seen.push(`${decision} for ${name}`),
      }),
    needs: { approvals: Approvals },
  });
  const shell = tool("shell", async () => "ran");
  const model = fakeProvider([{ calls: [{ name: "shell", args: {} }] }, "done"]);
  await using host = await startTestHost({ plugins: [asking, shell, buttons, memoryStore(), model] });
  await host.serve();
  await host
    .slot(Inbox)
    .receive([directMessage({ channel: "buttons", id: "1", from: "alice", text: "go", trust: "owner" })]);
  await expect.poll(() => seen).toEqual(["asked about shell", "allow for shell"]);
  expect(host.audit.map(({ result }) => result)).toContain("allow by buttons:alice");
});
