import {
  Approvals,
  ask,
  Channels,
  definePlugin,
  directMessage,
  Inbox,
  textOf,
  type ApprovalRequest,
  type Store,
} from "@gantry/sdk";
import {
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
  type FakeChannel,
  type FakeScript,
  type TestHost,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { guard, tool } from "./helpers/plugins.ts";
import { tempDir } from "./helpers/temp-dir.ts";
import { hurryTime } from "./helpers/waiting.ts";

const asking = guard("asking", () => ask({ code: "MAYBE", message: "This changes something." }));
const call = { calls: [{ name: "shell", args: { command: "ls" } }] };

interface Started extends AsyncDisposable {
  readonly host: TestHost;
  readonly channel: FakeChannel;
  readonly ran: string[];
  /** The question that is open, and the six digits that people write. */
  asked(): Promise<{ readonly question: ApprovalRequest; readonly short: string }>;
}

interface StartOptions extends Partial<TestHostOptions> {
  readonly store?: Store;
}

/** A host whose model gives these answers to its owners, Alice and Anna. */
async function start(
  script: FakeScript = [call, "done"],
  { store = createMemoryStore(), ...more }: StartOptions = {},
): Promise<Started> {
  const ran: string[] = [];
  const channel = fakeChannel("fake", { owners: ["alice", "anna"] });
  const shell = tool("shell", async ({ args }) => String(ran.push(String(args["command"]))));
  const plugins = [asking, shell, channel, memoryStore(store), fakeProvider(script)];
  const host = await startTestHost({ ...more, plugins });
  await host.serve();
  return {
    host,
    channel,
    ran,
    async asked() {
      await channel.receive({ text: "run ls" });
      await channel.sentCount(1);
      const [question] = await host.slot(Approvals).pending();
      if (!question) throw new Error("nothing is asked");
      return { question, short: question.id.slice(0, 6) };
    },
    [Symbol.asyncDispose]: () => host.stop(),
  };
}

const now = (): number => Math.floor(Date.now() / 1_000);
const anna = { user: "fake:anna", conversation: "fake:alice", trust: "owner" } as const;

test("SDK-21: a bare `yes` of before the question was delivered does not decide it", async () => {
  const { promise: underWay, resolve: begins } = Promise.withResolvers<void>();
  const { promise: sent, resolve: isSent } = Promise.withResolvers<void>();
  const texts: string[] = [];
  const slow = definePlugin({
    name: "channel-slow",
    provides: [Channels],
    setup: (host) =>
      host.provide(Channels, {
        name: "slow",
        send: async ({ parts }) => (texts.push(textOf(parts)), { status: "sent" }),
        async ask() {
          begins();
          await sent;
          return { status: "sent" };
        },
      }),
  });
  const shell = tool("shell", async () => "ran");
  const plugins = [asking, shell, slow, memoryStore(), fakeProvider([call, "done"])];
  await using host = await startTestHost({ plugins });
  await host.serve();
  const say = (id: string, text: string, timestamp: number) => {
    const from = { channel: "slow", from: "alice", trust: "owner" } as const;
    return host.slot(Inbox).receive([directMessage({ ...from, id, text, timestamp })]);
  };
  const asked = now();
  await say("1", "go", asked);
  await underWay;
  await expect.poll(now).toBeGreaterThan(asked + 1);
  isSent();
  // It was asked when this was written, and nobody could see it yet.
  await say("2", "yes", asked + 1);
  expect(await host.slot(Approvals).pending()).toHaveLength(1);
  await say("3", "no", now());
  await expect.poll(() => texts).toContain("done");
  expect(host.audit.map(({ result }) => result)).toContain("deny by slow:alice");
});

test("SDK-21: of a press and a word at the same moment one decides, once", async () => {
  await using t = await start();
  const { question, short } = await t.asked();
  const approvals = t.host.slot(Approvals);
  const pressed = approvals.decide(question.id, "allow", anna);
  await t.channel.receive({ text: `allow ${short}` });
  await t.channel.sentCount(2);
  const first = (await pressed) === "done" ? "fake:anna" : "fake:alice";
  expect(t.ran).toEqual(["ls"]);
  expect(await approvals.ended?.(question.id, anna)).toEqual({ decision: "allow", by: first });
  const given = t.host.audit.filter(({ event_type }) => event_type === "approval");
  expect(given.map(({ result }) => result)).toEqual([`allow by ${first}`]);
});

test("SDK-21: only who could have decided a question is told what became of it", async () => {
  await using t = await start();
  const { question } = await t.asked();
  await t.channel.receive({ text: "no" });
  await t.channel.sentCount(2);
  const { ended } = t.host.slot(Approvals);
  const tell = ended?.bind(t.host.slot(Approvals));
  expect(await tell?.(question.id, anna)).toEqual({ decision: "deny", by: "fake:alice" });
  for (const by of [
    { ...anna, trust: "member" },
    { ...anna, conversation: "fake:other" },
    { user: "http:d1" },
  ] as const)
    expect(await tell?.(question.id, by)).toBeUndefined();
});

test("SDK-21: a word that the store could not take decides when it is delivered again", async () => {
  const store = createMemoryStore();
  let isFull = false;
  const add: Store["values"]["add"] = async (...given) => {
    if (isFull) throw new Error("disk full");
    return store.values.add(...given);
  };
  await using t = await start([call, "done"], { store: { ...store, values: { ...store.values, add } } });
  const { short } = await t.asked();
  const word = { text: `allow ${short}`, id: "one-word" };
  isFull = true;
  await expect(t.channel.receive(word)).rejects.toThrow("disk full");
  isFull = false;
  await t.channel.receive(word);
  await t.channel.sentCount(2);
  expect(t.ran).toEqual(["ls"]);
});

test("SDK-21: a message that is no decision reads nothing of the questions", async () => {
  const store = createMemoryStore();
  const spaces = new Set<string>();
  const values = new Proxy(store.values, {
    get: (target, name, self) => {
      const member: unknown = Reflect.get(target, name, self);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        spaces.add(String(args[0]));
        return Reflect.apply(member, target, args);
      };
    },
  });
  await using t = await start(["heard"], { store: { ...store, values } });
  await t.channel.receive({ text: "hello" });
  await t.channel.sentCount(1);
  expect(spaces).toContain("session-model");
  expect(spaces).not.toContain("approvals");
  await t.channel.receive({ text: "yes" });
  await t.channel.sentCount(2);
  expect(spaces).toContain("approvals");
});

test("SDK-21: a try that fails before its call leaves the old question open", async () => {
  await using _ = hurryTime();
  using home = tempDir();
  const shared = { store: createMemoryStore(), configDir: home.dir };
  const before = await start([call], shared);
  const { short } = await before.asked();
  await before.host.stop();
  const failure = { code: "MODEL_BUSY", message: "It is busy.", status: 503, retry: true };
  await using after = await start([{ failure }, call, "done"], shared);
  const logged = (): string => after.host.logs.map(({ message }) => message).join();
  await expect.poll(logged).toContain("It is busy.");
  await after.channel.receive({ text: `allow ${short}` });
  await after.channel.sentCount(1);
  expect([after.channel.sent.map(({ text }) => text), after.ran]).toEqual([["done"], ["ls"]]);
});
