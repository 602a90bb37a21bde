import {
  Channels,
  Checks,
  definePlugin,
  directMessage,
  errors,
  Inbox,
  Meters,
  Services,
  Store,
  textOf,
  type CheckRow,
  type Plugin,
  type ProviderFailure,
} from "@gantry/sdk";
import { readyRows } from "../plugins/shared/trouble-rows.ts";
import {
  channelChecks,
  ChannelHealth,
  pause,
  PlatformFailure,
  serveConnection,
  troubleOf,
} from "@gantry/sdk/channel";
import {
  createMemoryStore,
  fakeProvider,
  memoryStore,
  startTestHost,
  type FakeAnswer,
  type TestHost,
} from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import alertOwner from "../plugins/alert-owner/index.ts";
import router from "../plugins/provider-router/index.ts";
import { passing, simulateTime } from "./helpers/waiting.ts";

const minute = 60_000;
/** A turn that hangs takes real time for each simulated second. */
const hangsMs = (process.env["GANTRY_LONG"] === undefined ? 5 : 20) * minute;

/** A message that the owner read on their desk, with its time. */
interface Read {
  readonly text: string;
  readonly at: number;
}

interface Line {
  /** Serves a connection for the platform of the channel `line`; undefined: as it should. */
  broken?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly plugin: Plugin;
}

async function nothing(): Promise<readonly CheckRow[]> {
  return [];
}

function full(): Promise<never> {
  return Promise.reject(new Error("database or disk is full"));
}

/** A channel by the kit, whose platform gives a sign of life every ten seconds. */
function line(): Line {
  const it: Line = {
    plugin: definePlugin({
      name: "channel-line",
      needs: { store: Store },
      provides: [Channels, Checks, Services],
      setup(host) {
        const values = () => host.needs.store.values;
        const health = new ChannelHealth({ channel: "line", values, log: host.log });
        host.provide(Channels, { name: "line", send: async () => ({ status: "sent" }) });
        serveConnection(host, "line", () => ({
          health,
          watchdogMs: 30_000,
          judge: troubleOf,
          async run(signal, alive) {
            while (!signal.aborted) {
              await it.broken?.(signal);
              health.up();
              alive();
              await pause(10_000, signal);
            }
          },
        }));
        for (const check of channelChecks("line", { standing: nothing, health })) host.provide(Checks, check);
      },
    }),
  };
  return it;
}

interface Scene extends AsyncDisposable {
  readonly t: TestHost;
  readonly read: readonly Read[];
  readonly gauges: ReadonlyMap<string, number>;
  /** A message of a person on the desk, which waits for the model. */
  asks(): Promise<void>;
  rows(): Promise<readonly CheckRow[]>;
}

/** A service with two channels and an owner who wrote on one of them, `desk`. */
async function serve(plugins: readonly Plugin[], store: Plugin = memoryStore()): Promise<Scene> {
  const read: Read[] = [];
  const gauges = new Map<string, number>();
  const around = definePlugin({
    name: "around",
    provides: [Channels, Meters],
    setup(host) {
      host.provide(Channels, {
        name: "desk",
        async send({ parts }) {
          const text = textOf(parts);
          if (/^(?:Alert|Over): /.test(text)) read.push({ text, at: Date.now() });
          return { status: "sent" };
        },
      });
      host.provide(Meters, {
        count: () => {},
        set: (name, value, labels = {}) => void gauges.set([name, ...Object.values(labels)].join(" "), value),
      });
    },
  });
  const t = await startTestHost({ plugins: [alertOwner, around, router, store, ...plugins] });
  await t.serve();
  let number = 0;
  const asks = async (): Promise<void> => {
    const id = `m${(number += 1)}`;
    const message = directMessage({ channel: "desk", id, from: "ada", text: "hello", trust: "owner" });
    await t.slot(Inbox).receive([message]);
  };
  await asks();
  return {
    t,
    read,
    gauges,
    asks,
    rows: async () => (await readyRows(t.slot(Checks))).rows,
    [Symbol.asyncDispose]: () => t.stop(),
  };
}

/** Lets so much simulated time pass. */
async function pass(s: Scene, ms: number): Promise<void> {
  const until = Date.now() + ms;
  await passing(s.t, () => Date.now() >= until, 2_500);
}

interface Fault {
  begin(): void;
  end(): void;
  /** Milliseconds until the owner reads of it, at most. */
  readonly within: number;
  /** Milliseconds; default twenty minutes. */
  readonly lasts?: number;
}

/** Holds a fault; checks that the owner read a beginning in it and one end after it. */
async function outage(s: Scene, { begin, end, within, lasts = 20 * minute }: Fault): Promise<void> {
  await pass(s, minute);
  expect(s.read).toEqual([]);
  const began = Date.now();
  begin();
  await s.asks().catch(() => {});
  await pass(s, lasts);
  const ended = Date.now();
  end();
  await s.asks();
  await pass(s, 5 * minute);
  expect(s.read.map(({ text }) => text.split(":", 1)[0])).toEqual(["Alert", "Over"]);
  const [alert, over] = s.read as [Read, Read];
  expect(alert.at - began).toBeLessThanOrEqual(within);
  expect(over.at).toBeGreaterThanOrEqual(ended);
}

function failing(status: number | undefined, retry = true): FakeAnswer {
  const message = `It failed with ${status ?? "nothing"}.`;
  const failure: ProviderFailure = { code: `HTTP_${status ?? "NONE"}`, message, retry };
  return { failure: { ...failure, ...(status !== undefined && { status }) } };
}

const hanging: FakeAnswer = { after: new Promise(() => {}) };

test.for([
  ["cannot be reached", failing(undefined), 2 * minute],
  ["refuses the key, by HTTP 401", failing(401, false), minute],
  ["asks to wait, by HTTP 429", failing(429), 2 * minute],
  ["fails, by HTTP 500", failing(500), 2 * minute],
  ["takes requests and answers nothing", hanging, 45_000],
] as const)(
  "FLR-12: a model that %s: the owner reads one beginning and one end, and both are true",
  { timeout: 300_000 },
  async ([, answer, within]) => {
    using _ = simulateTime();
    let isBroken = false;
    await using s = await serve([fakeProvider([() => (isBroken ? answer : "fine")])]);
    await outage(s, {
      begin: () => (isBroken = true),
      end: () => (isBroken = false),
      within,
      ...(answer === hanging && { lasts: hangsMs }),
    });
    expect(s.read[0]?.text).toMatch(/^Alert: model: /);
    expect(s.read[1]?.text).toBe("Over: model works again.");
  },
);

test.for([
  ["refuses the token", () => Promise.reject(new PlatformFailure("account", "API error: 401")), 15_000],
  ["says that another program takes its place", () => Promise.reject(new Error("409: Conflict")), 45_000],
  [
    "is silent",
    (signal: AbortSignal) => new Promise<void>((_, reject) => signal.addEventListener("abort", reject)),
    45_000,
  ],
] as const)(
  "FLR-09: FLR-12: a platform that %s: one beginning and one end, by another channel",
  { timeout: 300_000 },
  async ([, broken, within]) => {
    using _ = simulateTime();
    const phone = line();
    await using s = await serve([fakeProvider(["fine"]), phone.plugin]);
    await pass(s, minute);
    expect(s.gauges.get("channel_up line")).toBe(1);
    let during: readonly CheckRow[] = [];
    const end = (): void => {
      expect(s.gauges.get("channel_up line")).toBe(0);
      void s.rows().then((rows) => (during = rows.filter(({ state }) => state !== "ok")));
      phone.broken = undefined;
    };
    await outage(s, { begin: () => (phone.broken = broken), end, within });
    expect(during.map(({ what }) => what)).toEqual(["channel:line"]);
    expect(s.read[1]?.text).toBe("Over: channel:line works again.");
    expect(s.gauges.get("channel_up line")).toBe(1);
  },
);

test("FLR-12: a store that can keep nothing: the owner reads one beginning and one end", async () => {
  using _ = simulateTime();
  const store = createMemoryStore();
  let isFull = false;
  const check = definePlugin({
    name: "store-rows",
    provides: [Checks],
    setup: (host) =>
      host.provide(Checks, {
        name: "store",
        kind: "ready",
        run: async () => [{ what: "store", state: isFull ? "fail" : "ok", detail: "the disk" }],
      }),
  });
  await using s = await serve([fakeProvider(["fine"]), check], memoryStore(store));
  let spies: { mockRestore(): void }[] = [];
  const begin = (): void => {
    isFull = true;
    spies = [
      vi.spyOn(store.values, "put").mockImplementation(full),
      vi.spyOn(store.lanes, "accept").mockImplementation(full),
      vi.spyOn(store.lanes, "post").mockImplementation(full),
    ];
  };
  const end = (): void => {
    isFull = false;
    for (const spy of spies) spy.mockRestore();
  };
  await outage(s, { begin, end, within: 30_000 });
  expect(s.read.map(({ text }) => text)).toEqual(["Alert: store: the disk", "Over: store works again."]);
});

test("FLR-12: a store that keeps nothing of what a channel hears is one cause", async () => {
  using _ = simulateTime();
  let isFull = false;
  const check = definePlugin({
    name: "store-rows",
    provides: [Checks],
    setup: (host) =>
      host.provide(Checks, {
        name: "store",
        kind: "ready",
        run: async () => [{ what: "store", state: isFull ? "fail" : "ok", detail: "the disk" }],
      }),
  });
  const phone = line();
  await using s = await serve([fakeProvider(["fine"]), check, phone.plugin]);
  phone.broken = () => (isFull ? Promise.reject(errors.STORE_FAILED("x", "full")) : Promise.resolve());
  await pass(s, minute);
  isFull = true;
  await pass(s, 5 * minute);
  isFull = false;
  await pass(s, 2 * minute);
  expect(s.read.map(({ text }) => text)).toEqual(["Alert: store: the disk", "Over: store works again."]);
});

test("FLR-12: a model that no message and no request asks is not said to work again", async () => {
  using _ = simulateTime();
  let isBroken = false;
  await using s = await serve([fakeProvider([() => (isBroken ? failing(500) : "fine")])]);
  await pass(s, minute);
  isBroken = true;
  for (let i = 0; i < 5; i += 1) {
    const asked = s.t.ask("hello").catch(() => {});
    let isDone = false;
    void asked.then(() => (isDone = true));
    await passing(s.t, () => isDone);
  }
  await pass(s, 10 * minute);
  expect(s.read.map(({ text }) => text)).toEqual([expect.stringMatching(/^Alert: model: fake: It failed/)]);
  // It takes requests again, or whoever balances the load would let none through.
  const trouble = (await s.rows()).filter(({ state }) => state !== "ok");
  expect(trouble).toMatchObject([{ what: "model", state: "warn" }]);
  isBroken = false;
  await s.asks();
  await pass(s, minute);
  expect(s.read.at(-1)?.text).toBe("Over: model works again.");
});
