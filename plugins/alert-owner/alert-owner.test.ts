import {
  Channels,
  Checks,
  definePlugin,
  directMessage,
  Inbox,
  Meters,
  textOf,
  type CheckRow,
  type Plugin,
} from "@gantry/sdk";
import {
  createMemoryStore,
  fakeProvider,
  memoryStore,
  startTestHost,
  type TestHost,
} from "@gantry/sdk/testing";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { hurryTime } from "../../test/helpers/waiting.ts";
import inbox from "../command-inbox/index.ts";
import alertOwner from "./index.ts";

beforeEach(() => {
  const time = hurryTime();
  onTestFinished(() => time[Symbol.asyncDispose]());
});

interface Scene {
  readonly host: TestHost;
  readonly sent: { readonly to: unknown; readonly text: string }[];
  readonly counted: string[];
  /** The values of the meters. */
  readonly gauges: ReadonlyMap<string, number>;
  /** The part's answer to whether it is ready. */
  rows: () => readonly CheckRow[] | Promise<readonly CheckRow[]>;
}

async function scene(
  config: Readonly<Record<string, unknown>> = {},
  model: readonly Plugin[] = [fakeProvider(["hello"])],
  store: Plugin = memoryStore(),
): Promise<Scene> {
  const sent: Scene["sent"] = [];
  const counted: string[] = [];
  const it = { sent, counted, gauges: new Map<string, number>(), rows: (): ReturnType<Scene["rows"]> => [] };
  const around = definePlugin({
    name: "around",
    provides: [Channels, Checks, Meters],
    setup(host) {
      for (const name of ["chat", "desk"])
        host.provide(Channels, {
          name,
          async send({ to, parts }) {
            sent.push({ to, text: textOf(parts) });
            return { status: "sent" };
          },
        });
      host.provide(Checks, { name: "part-ready", kind: "ready", run: async () => it.rows() });
      host.provide(Meters, {
        count: (name, labels) => void counted.push(`${name} ${labels?.["part"]}`),
        set: (name, value, labels) => void it.gauges.set(`${name} ${labels?.["part"] ?? ""}`.trim(), value),
      });
    },
  });
  const host = await startTestHost({
    plugins: [alertOwner, around, store, ...model],
    config: { alerts: { every_seconds: 1, ...config } },
  });
  onTestFinished(() => host.stop());
  return Object.assign(it, { host });
}

const broken: CheckRow = { what: "disk", state: "fail", detail: "less than 64 MiB are free" };

/** An owner writes once, so that there is somewhere to tell them. */
async function ownerWrites({ host }: Scene): Promise<void> {
  const message = directMessage({ channel: "chat", id: "m1", from: "ada", text: "hello", trust: "owner" });
  await host.slot(Inbox).receive([message]);
}

const alerts = ({ sent }: Scene): readonly string[] =>
  sent.map(({ text }) => text).filter((text) => /^(?:Alert|Over): /.test(text));

test("OPS-01: a part that fails is told to the log, the counters and the owner within a look, and so is its end, once each", async () => {
  const s = await scene();
  await s.host.serve();
  await ownerWrites(s);
  s.rows = () => [broken];
  await expect.poll(() => alerts(s)).toEqual(["Alert: disk: less than 64 MiB are free"]);
  expect(s.sent.at(-1)?.to).toBe("ada");
  expect(s.counted).toEqual(["alerts_total disk"]);
  await expect.poll(() => Object.fromEntries(s.gauges)).toMatchObject({ "trouble disk": 1, ready: 0 });
  s.rows = () => [{ ...broken, state: "ok" }];
  await expect.poll(() => alerts(s).at(-1)).toBe("Over: disk works again.");
  await expect.poll(() => Object.fromEntries(s.gauges)).toMatchObject({ "trouble disk": 0, ready: 1 });
  expect(alerts(s).length).toBe(2);
  const lines = s.host.logs.filter(({ detail }) => detail["alert"] === "disk");
  expect(lines.map(({ level }) => level)).toEqual(["warn", "info"]);
});

test("OPS-01: of what was told before a restart the owner hears the end once, and no second beginning", async () => {
  const store = memoryStore();
  const before = await scene({}, undefined, store);
  await before.host.serve();
  await ownerWrites(before);
  before.rows = () => [broken, { ...broken, what: "model" }];
  await expect.poll(() => alerts(before).length).toBe(2);
  await before.host.stop();

  const after = await scene({}, undefined, store);
  after.rows = () => [broken, { ...broken, what: "model", state: "ok" }];
  await after.host.serve();
  await expect.poll(() => alerts(after)).toEqual(["Over: model works again."]);
  expect(Object.fromEntries(after.gauges)).toMatchObject({ "trouble disk": 1, ready: 0 });
  after.rows = () => [];
  await expect.poll(() => alerts(after).slice(1)).toEqual(["Over: disk works again."]);
});

test.for([
  ["hangs", (): Promise<never> => new Promise(() => {})],
  ["fails", (): Promise<never> => Promise.reject(new Error("it is gone"))],
] as const)(
  "OPS-01: a store that %s from the first look on is told to the log, the meters and the owner all the same, and its end once",
  async ([, broke]) => {
    const store = createMemoryStore();
    const s = await scene({}, undefined, memoryStore(store));
    await s.host.serve();
    await ownerWrites(s);
    await expect.poll(() => s.sent.map(({ text }) => text)).toContain("hello");
    const spies = [
      vi.spyOn(store.values, "get").mockImplementation(broke),
      vi.spyOn(store.values, "put").mockImplementation(broke),
      vi.spyOn(store.lanes, "post").mockImplementation(broke),
      vi.spyOn(store.lanes, "stats").mockImplementation(broke),
    ];
    s.rows = () => [{ ...broken, what: "store" }];
    await expect.poll(() => Object.fromEntries(s.gauges)).toMatchObject({ "trouble store": 1, ready: 0 });
    await expect.poll(() => alerts(s)).toEqual(["Alert: store: less than 64 MiB are free"]);
    for (const spy of spies) spy.mockRestore();
    s.rows = () => [];
    await expect.poll(() => alerts(s).at(-1)).toBe("Over: store works again.");
    expect(Object.fromEntries(s.gauges)).toMatchObject({ "trouble store": 0, ready: 1 });
    expect(alerts(s).length).toBe(2);
  },
);

test("FLR-12: after a restart a trouble of which nothing is known yet is not said to be over", async () => {
  const store = memoryStore();
  const before = await scene({}, undefined, store);
  await before.host.serve();
  await ownerWrites(before);
  before.rows = () => [broken];
  await expect.poll(() => alerts(before).length).toBe(1);
  await before.host.stop();
  const after = await scene({}, undefined, store);
  let looks = 0;
  after.rows = () => ((looks += 1), []);
  await after.host.serve();
  await expect.poll(() => looks).toBeGreaterThan(3);
  expect(alerts(after)).toEqual([]);
  after.rows = () => [{ ...broken, state: "ok" }];
  await expect.poll(() => alerts(after)).toEqual(["Over: disk works again."]);
});

test("FLR-12: a part that its check called well and then says nothing of stays in trouble", async () => {
  const s = await scene();
  s.rows = () => [{ ...broken, state: "ok" }];
  await s.host.serve();
  await ownerWrites(s);
  await expect.poll(() => s.gauges.get("ready")).toBe(1);
  s.rows = () => [broken];
  await expect.poll(() => alerts(s).length).toBe(1);
  let looks = 0;
  s.rows = () => ((looks += 1), []);
  await expect.poll(() => looks).toBeGreaterThan(2);
  expect([alerts(s).length, s.gauges.get("trouble disk")]).toEqual([1, 1]);
});

test("FLR-12: a part that is back soon is over after a quarter of an hour without trouble", async () => {
  const s = await scene();
  await s.host.serve();
  await ownerWrites(s);
  const told = (count: number) => expect.poll(() => alerts(s).length).toBe(count);
  const logged = (count: number) =>
    expect.poll(() => s.host.logs.filter(({ detail }) => detail["alert"] === "disk").length).toBe(count);
  s.rows = () => [broken];
  await told(1);
  s.rows = () => [];
  await told(2);
  s.rows = () => [broken];
  await told(3);
  let looks = 0;
  s.rows = () => ((looks += 1), []);
  await expect.poll(() => looks).toBeGreaterThan(2);
  expect(alerts(s).length).toBe(3);
  vi.setSystemTime(Date.now() + 15 * 60_000);
  await told(4);
  await logged(4);
  expect(alerts(s).map((text) => text.split(":", 1)[0])).toEqual(["Alert", "Over", "Alert", "Over"]);
});

test("OPS-01: what comes and goes is told to the log and the owner once in a while", async () => {
  const s = await scene();
  await s.host.serve();
  await ownerWrites(s);
  let looks = 0;
  s.rows = () => ((looks += 1) % 2 === 1 ? [broken] : []);
  await expect.poll(() => looks).toBeGreaterThan(7);
  expect(alerts(s).map((text) => text.split(":", 1)[0])).toEqual(["Alert", "Over", "Alert"]);
  expect(s.host.logs.filter(({ detail }) => detail["alert"] === "disk").length).toBe(3);
});

test("FLR-12: a state that somebody asked for is no alert, and the service is not ready", async () => {
  const s = await scene();
  await s.host.serve();
  await ownerWrites(s);
  let looks = 0;
  s.rows = () => ((looks += 1), [{ ...broken, what: "node", planned: true }]);
  await expect.poll(() => looks).toBeGreaterThan(2);
  expect([alerts(s), s.counted, s.gauges.get("ready")]).toEqual([[], [], 0]);
});

test("FLR-12: a look that a stop cuts short ends nothing", async () => {
  const s = await scene();
  await s.host.serve();
  await ownerWrites(s);
  s.rows = () => [broken];
  await expect.poll(() => alerts(s).length).toBe(1);
  const [looking, asked] = [Promise.withResolvers<readonly CheckRow[]>(), Promise.withResolvers<void>()];
  s.rows = () => (asked.resolve(), looking.promise);
  await asked.promise;
  const stopped = s.host.stop();
  looking.resolve([{ ...broken, state: "ok" }]);
  await stopped;
  expect(s.host.logs.filter(({ message }) => message.startsWith("Over:"))).toEqual([]);
});

test("OPS-01: a check that throws is an alert itself, and a guest's or a group's message makes nobody the owner", async () => {
  const s = await scene();
  const guest = directMessage({ channel: "chat", id: "m1", from: "eve", text: "hi", trust: "guest" });
  const group = directMessage({
    channel: "chat",
    id: "m2",
    from: "ada",
    text: "hi",
    trust: "owner",
    conversation: { id: "g", kind: "group" },
  });
  await s.host.slot(Inbox).receive([guest, group]);
  await s.host.serve();
  s.rows = () => {
    throw new Error("it is gone");
  };
  await expect
    .poll(() => s.host.logs.map(({ message }) => message))
    .toContain("Alert: part-ready: it is gone");
  expect(alerts(s)).toEqual([]);
});

test("OPS-01: trouble with one channel is told by another on which an owner wrote, however long ago", async () => {
  const s = await scene();
  await s.host.serve();
  const desk = directMessage({ channel: "desk", id: "1", from: "boss", text: "hello", trust: "owner" });
  await s.host.slot(Inbox).receive([desk]);
  await ownerWrites(s);
  const refused = { what: "channel:chat", state: "warn", detail: "the token is refused" } as const;
  s.rows = () => [refused];
  await expect.poll(() => alerts(s)).toEqual(["Alert: channel:chat: the token is refused"]);
  expect(s.sent.at(-1)?.to).toBe("boss");
  s.rows = () => [];
  await expect.poll(() => alerts(s).length).toBe(2);
});

test("OPS-01: an owner who wrote over HTTP last is told by the channel on which they wrote before", async () => {
  const s = await scene();
  await s.host.serve();
  await ownerWrites(s);
  const request = directMessage({ channel: "http", id: "r1", from: "device", text: "hi", trust: "owner" });
  await s.host.slot(Inbox).receive([request]);
  s.rows = () => [broken];
  await expect.poll(() => alerts(s)).toContain("Alert: disk: less than 64 MiB are free");
});

test("OPS-01: with tell_owner = false alerts stand in the log only", async () => {
  const s = await scene({ tell_owner: false });
  await s.host.serve();
  await ownerWrites(s);
  s.rows = () => [broken];
  await expect.poll(() => s.counted).toEqual(["alerts_total disk"]);
  s.rows = () => [];
  await expect.poll(() => s.host.logs.some(({ message }) => message.startsWith("Over:"))).toBe(true);
  expect(alerts(s)).toEqual([]);
});

test("OPS-01: what messages wait for is an alert with its reason", async () => {
  const s = await scene({}, [inbox]);
  await s.host.serve();
  await ownerWrites(s);
  await expect
    .poll(() => alerts(s))
    .toEqual([expect.stringMatching(/^Alert: model: No provider configured/)]);
});
