import { Checks, Store, type ProviderFailure, type Sent } from "@gantry/sdk";
import {
  fakeProvider,
  startTestHost,
  type FakeProvider,
  type TestHost,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import router from "../provider-router/index.ts";
import { readyRows } from "../shared/trouble-rows.ts";
import store from "../store-sqlite/index.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { chat, passing, simulateTime, write, type Chat } from "../../test/helpers/waiting.ts";

const long = process.env["GANTRY_LONG"] !== undefined;
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** A daily notice would be told twice around midnight. */
const noon = new Date().setUTCHours(12, 0, 0, 0);
const senders = Array.from({ length: 20 }, (_, i) => `s${i}`);

function failing(status: number | undefined, retry: boolean = true): ProviderFailure {
  const facts = status === undefined ? {} : { status };
  return {
    code: `HTTP_${status ?? "NONE"}`,
    message: `It failed with ${status ?? "nothing"}.`,
    retry,
    ...facts,
  };
}

interface Service {
  readonly t: TestHost;
  readonly channel: Chat;
  readonly model: FakeProvider;
}

/**
 * The real host, inbox, router and store; only the model, the platform and the time are simulated.
 */
async function serve(
  model: FakeProvider,
  { channel = chat(), ...given }: Partial<TestHostOptions> & { channel?: Chat } = {},
): Promise<Service & AsyncDisposable> {
  const config = { providers: { fake: { max_retries: 0 } }, ...given.config };
  const t = await startTestHost({ ...given, config, plugins: [channel.plugin, model, router, store] });
  await t.serve();
  return { t, channel, model, [Symbol.asyncDispose]: () => t.stop() };
}

/** A model that is away until `back`, whatever is asked. */
function awayUntil(back: number, failure: ProviderFailure = failing(503)): FakeProvider {
  return fakeProvider([() => (Date.now() < back ? { failure } : "here again")]);
}

test.each([
  ["40 s", 40 * second, 503],
  ["10 min", 10 * minute, 503],
  ["an hour, by HTTP 429", hour, 429],
  ["a day", 24 * hour, 503],
])(
  "INB-01: a model that is away for %s: every message is answered once, within 30 s of its return, and none becomes a dead letter",
  { timeout: 900_000 },
  async (_name, awayMs) => {
    using _ = simulateTime(noon);
    const back = Date.now() + awayMs;
    let isAway = false;
    const model = fakeProvider([
      () => (isAway && Date.now() < back ? { failure: failing(503) } : "here again"),
    ]);
    await using s = await serve(model);
    // It has worked before, which makes the outage nobody's fault all the same.
    await write(s.t, "before", ["zero"]);
    await passing(s.t, () => s.channel.sent.length === 1, 10);
    isAway = true;
    for (const from of senders.slice(0, 10)) await write(s.t, from, ["one", "two"]);
    if (!long) await passing(s.t, () => Date.now() > back - 6 * minute, 5 * minute);
    await passing(s.t, () => Date.now() > back - 20 * second, 10 * second);
    for (const from of senders.slice(10)) await write(s.t, from, ["one", "two"]);
    await passing(s.t, () => s.channel.sent.length >= 41);
    expect(s.channel.sent.map(({ to }) => to).toSorted()).toEqual(
      ["before", ...senders, ...senders].toSorted(),
    );
    expect(new Set(s.channel.sent.map(({ text }) => text))).toEqual(new Set(["here again"]));
    const late = Math.max(...s.channel.sent.map(({ at }) => at)) - back;
    expect(late).toBeLessThanOrEqual(30 * second);
    expect(await s.t.slot(Store).lanes.stats()).toEqual({ waiting: 0, running: 0, deadLetters: 0 });
  },
);

/** A model that says nothing to what it is asked before `back`, neither then nor later. */
function hangingUntil(back: number): FakeProvider {
  return fakeProvider([() => (Date.now() < back ? { after: new Promise(() => {}) } : "here again")]);
}

const hangs = [
  [45, 20],
  [400, 1],
] as const;
const longHangs = [
  [45, 1],
  [400, 20],
  [700, 1],
  [700, 20],
] as const;

test.each<readonly [number, number]>(long ? [...hangs, ...longHangs] : hangs)(
  "INB-01: a model hangs for %i s over %i messages: the log tells its timeouts, and each is answered once",
  async (seconds, count) => {
    using _ = simulateTime(noon);
    const back = Date.now() + seconds * second;
    // The defaults: a request ends after 120 s, and is made three times.
    await using s = await serve(hangingUntil(back), { config: { providers: { fake: {} } } });
    for (const from of senders.slice(0, count)) await write(s.t, from, ["hi"]);
    await passing(s.t, () => Date.now() > back - 5 * second, 10 * second);
    await passing(s.t, () => s.channel.sent.length >= count, 2_500);
    expect(s.channel.sent.map(({ to }) => to).toSorted()).toEqual(senders.slice(0, count).toSorted());
    expect(new Set(s.channel.sent.map(({ text }) => text))).toEqual(new Set(["here again"]));
    const late = Math.max(...s.channel.sent.map(({ at }) => at)) - back;
    expect(late).toBeLessThanOrEqual(150 * second);
    const told = s.t.logs.filter(({ detail }) => detail["code"] === "PROVIDER_TIMEOUT");
    expect(told.map(({ level }) => level)).toContain("warn");
    expect(await s.t.slot(Store).lanes.stats()).toEqual({ waiting: 0, running: 0, deadLetters: 0 });
  },
);

test("INB-01: while the model is away it is asked by one message at a time, not by all that wait", async () => {
  using _ = simulateTime(noon);
  const back = Date.now() + 10 * minute;
  await using s = await serve(awayUntil(back));
  for (const from of senders) await write(s.t, from, ["hello"]);
  await passing(s.t, () => Date.now() > back - 5 * minute);
  const before = s.model.requests.length;
  await passing(s.t, () => Date.now() > back - minute);
  // Every 20 s at the most often.
  expect(s.model.requests.length - before).toBeLessThanOrEqual((4 * 60) / 20 + 2);
});

test("INB-01: a timer that fires a moment early leaves no message waiting", async () => {
  using _ = simulateTime(noon);
  const back = Date.now() + minute;
  await using s = await serve(awayUntil(back));
  const timer = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", (work: () => void, ms: number = 0) => timer(work, Math.max(0, ms - 1)));
  try {
    for (const from of senders) await write(s.t, from, ["hello"]);
    await passing(s.t, () => s.channel.sent.length >= senders.length);
  } finally {
    vi.unstubAllGlobals();
  }
  expect(s.channel.sent.map(({ to }) => to).toSorted()).toEqual(senders.toSorted());
});

test("INB-01: a server that names a time for its return is not asked before", async () => {
  using _ = simulateTime(noon);
  const back = Date.now() + hour;
  const asked: number[] = [];
  const model = fakeProvider([
    () => {
      asked.push(Date.now());
      const failure = { ...failing(429), retryAfterMs: Math.max(back - Date.now(), 1) };
      return Date.now() < back ? { failure } : "here again";
    },
  ]);
  await using s = await serve(model);
  for (const from of senders) await write(s.t, from, ["hello"]);
  await passing(s.t, () => s.channel.sent.length >= 20, 20 * second);
  expect(asked.filter((at) => at > back - hour + minute && at < back)).toEqual([]);
  expect(Math.max(...s.channel.sent.map(({ at }) => at)) - back).toBeLessThanOrEqual(30 * second);
});

test("INB-01: what waited when the service ended is answered by the next one, within 30 s of the model's return", async () => {
  using home = tempDir();
  using _ = simulateTime(noon);
  const back = Date.now() + 5 * minute;
  const first = await serve(awayUntil(back), { configDir: home.dir });
  for (const from of senders) await write(first.t, from, ["hello"]);
  await passing(first.t, () => Date.now() > back - 3 * minute);
  await first.t.stop();
  await using s = await serve(awayUntil(back), { configDir: home.dir });
  await passing(s.t, () => s.channel.sent.length >= 20);
  expect(s.channel.sent.map(({ to }) => to).toSorted()).toEqual(senders.toSorted());
  expect(Math.max(...s.channel.sent.map(({ at }) => at)) - back).toBeLessThanOrEqual(30 * second);
});

test.each([401, 403, 404])(
  "INB-01: CTX-07: after the model's HTTP %i messages wait until that is mended; each conversation is told once",
  async (status) => {
    using _ = simulateTime(noon);
    const back = Date.now() + 10 * minute;
    await using s = await serve(awayUntil(back, failing(status)));
    await write(s.t, "member", ["one", "two"]);
    await write(s.t, "boss", ["three"], "owner");
    await passing(s.t, () => Date.now() > back - second);
    expect(s.channel.sent.map(({ to, text }) => [to, text]).toSorted()).toEqual([
      ["boss", expect.stringContaining(`It failed with ${status}.`)],
      ["member", expect.not.stringContaining(`${status}`)],
    ]);
    await passing(s.t, () => s.channel.sent.length >= 5);
    const answers = s.channel.sent.slice(2);
    expect(answers.map(({ to, text }) => [to, text]).toSorted()).toEqual([
      ["boss", "here again"],
      ["member", "here again"],
      ["member", "here again"],
    ]);
    expect(Math.max(...answers.map(({ at }) => at)) - back).toBeLessThanOrEqual(30 * second);
  },
);

test("CTX-07: a request that the model will never take ends with one sentence, and the next message is answered", async () => {
  using _ = simulateTime(noon);
  const model = fakeProvider([{ failure: failing(400, false) }, "fine"]);
  await using s = await serve(model);
  await write(s.t, "boss", ["bad", "good"], "owner");
  await passing(s.t, () => s.channel.sent.length >= 2);
  expect(s.channel.sent.map(({ text }) => text).toSorted()).toEqual([
    expect.stringMatching(/^I could not answer your message.*: It failed with 400\.$/),
    "fine",
  ]);
  expect(await s.t.slot(Store).lanes.page("dead", 5)).toMatchObject([{ reason: "It failed with 400." }]);
});

test("CTX-07: an answer without text is told as such", async () => {
  await using s = await serve(fakeProvider([{ text: "", stop: "ContentFilter" }]));
  await write(s.t, "a", ["hello"]);
  await expect
    .poll(() => s.channel.sent.map(({ text }) => text))
    .toEqual([expect.stringContaining("ContentFilter")]);
});

test("CTX-07: INB-01: what could not be answered for keep_undelivered_hours ends with one sentence", async () => {
  using _ = simulateTime(noon);
  const config = { memory: { keep_undelivered_hours: 0.1 } };
  await using s = await serve(fakeProvider([{ failure: failing(503) }]), { config });
  await write(s.t, "a", ["hello"]);
  const began = Date.now();
  await passing(s.t, () => s.channel.sent.length >= 1);
  expect(s.channel.sent).toMatchObject([{ to: "a", text: expect.stringContaining("dead letter") }]);
  expect(Date.now() - began).toBeGreaterThanOrEqual(6 * minute);
  expect(await s.t.slot(Store).lanes.page("dead", 5)).toMatchObject([
    { reason: expect.stringContaining("kept for 0.1 hours") },
  ]);
  await passing(s.t, () => Date.now() > began + 20 * minute, minute);
  expect(s.channel.sent).toHaveLength(1);
});

test("CTX-07: INB-01: so does what waits for its owner to mend the account", async () => {
  using _ = simulateTime(noon);
  const config = { memory: { keep_undelivered_hours: 0.1 } };
  await using s = await serve(fakeProvider([{ failure: failing(401) }]), { config });
  const began = Date.now();
  await write(s.t, "a", ["hello"]);
  await passing(s.t, () => s.channel.sent.length >= 2, 10 * second);
  expect(s.channel.sent[1]?.text).toContain("dead letter");
  expect(s.channel.sent[1]?.at).toBeGreaterThanOrEqual(began + 6 * minute);
});

test("INB-01: a message that fails while others are answered ends after a while and holds nobody up", async () => {
  using _ = simulateTime(noon);
  const poison = failing(500);
  const model = fakeProvider([
    ({ messages }) => (JSON.stringify(messages.at(-1)).includes("poison") ? { failure: poison } : "fine"),
  ]);
  await using s = await serve(model);
  await write(s.t, "a", ["poison", "food"]);
  const began = Date.now();
  const fine = (): number => s.channel.sent.filter(({ text }) => text === "fine").length;
  for (let i = 0; Date.now() < began + 20 * minute; i += 1) {
    await write(s.t, `other${i}`, ["hello"]);
    await passing(s.t, () => fine() > i, second);
    await passing(s.t, () => Date.now() > began + (i + 1) * 15 * second);
    if (s.channel.sent.some(({ text }) => text.includes("dead letter"))) break;
  }
  const others = s.channel.sent.filter(({ to }) => to.startsWith("other"));
  expect(new Set(others.map(({ text }) => text))).toEqual(new Set(["fine"]));
  await passing(s.t, () => s.channel.sent.some(({ to, text }) => to === "a" && text === "fine"));
  expect(
    s.channel.sent
      .filter(({ to }) => to === "a")
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual([expect.stringContaining("dead letter"), "fine"]);
});

const refusedAccount = { status: "retry", scope: "channel", reason: "API error: 401" } as const;

test("INB-02: a platform that refuses the account for 20 s keeps all 120 replies, is told once and shown in status", async () => {
  using _ = simulateTime(noon);
  const channel = chat();
  const back = Date.now() + 20 * second;
  channel.answers = () => (Date.now() < back ? refusedAccount : undefined);
  await using s = await serve(fakeProvider(["hello"]), { channel });
  const many = Array.from({ length: 120 }, (_, i) => `s${i}`);
  for (const from of many) await write(s.t, from, ["hi"]);
  await passing(s.t, () => Date.now() > back - second);
  const { lanes } = s.t.slot(Store);
  expect(await lanes.waits()).toEqual([{ waitsFor: "channel:chat", lanes: 120, reason: "API error: 401" }]);
  expect(channel.asked()).toBeLessThan(120 + 20);
  await passing(s.t, () => channel.sent.length >= 120);
  expect(channel.sent.map(({ to }) => to).toSorted()).toEqual(many.toSorted());
  expect(Math.max(...channel.sent.map(({ at }) => at)) - back).toBeLessThanOrEqual(30 * second);
  expect(s.model.requests).toHaveLength(120);
  const lines = s.t.logs.filter(({ message }) => message.includes("API error: 401"));
  expect(lines.map(({ level }) => level)).toEqual(["error"]);
  expect(await lanes.stats()).toEqual({ waiting: 0, running: 0, deadLetters: 0 });
});

/**
 * Returns a channel's result for a platform that never answers, once it has waited long enough or
 * need not wait any longer.
 */
function silence(signal: AbortSignal): Promise<Sent> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ status: "retry", reason: "it did not answer" });
    const timer = setTimeout(end, 28 * second);
    signal.addEventListener("abort", () => (clearTimeout(timer), end()));
  });
}

test("FLR-12: a send that fails once is no trouble, and one that fails twice is until one works", async () => {
  using _ = simulateTime(noon);
  const channel = chat();
  channel.answers = () => (channel.asked() < 3 ? refusedAccount : undefined);
  await using s = await serve(fakeProvider(["hello"]), { channel });
  const stateAfter = async (tries: number): Promise<string> => {
    await passing(s.t, () => channel.asked() === tries, 200);
    const { rows } = await readyRows(s.t.slot(Checks));
    return rows.find(({ what }) => what === "channel:chat")?.state ?? "nothing";
  };
  await write(s.t, "a", ["hi"]);
  expect([await stateAfter(1), await stateAfter(2), await stateAfter(3)]).toEqual(["nothing", "warn", "ok"]);
});

test.each([45, 72])(
  "INB-02: a platform that hangs for %i s is asked by few at a time, and whatever hung or waited is sent once within 30 s of its return",
  async (seconds) => {
    using _ = simulateTime(noon);
    const channel = chat();
    const back = Date.now() + seconds * second;
    const asked: number[] = [];
    channel.answers = (_message, signal) => {
      asked.push(Date.now());
      return Date.now() < back ? silence(signal) : undefined;
    };
    await using s = await serve(fakeProvider(["hello"]), { channel });
    for (const from of senders) await write(s.t, from, ["hi"]);
    // While nothing is known to be away, each message is tried.
    for (const [i, from] of ["late1", "late2", "late3"].entries()) {
      await passing(s.t, () => Date.now() > back - (30 - 10 * i) * second, 2_500);
      await write(s.t, from, ["hi"]);
    }
    await passing(s.t, () => channel.sent.length >= senders.length + 3, 2_500);
    const everybody = [...senders, "late1", "late2", "late3"];
    expect(channel.sent.map(({ to }) => to).toSorted()).toEqual(everybody.toSorted());
    expect(Math.max(...channel.sent.map(({ at }) => at)) - back).toBeLessThanOrEqual(30 * second);
    const known = back - seconds * second + 31 * second;
    expect(asked.filter((at) => at > known && at < back).length).toBeLessThanOrEqual(seconds / 10);
    expect(await s.t.slot(Store).lanes.stats()).toEqual({ waiting: 0, running: 0, deadLetters: 0 });
  },
);

test("INB-02: a recipient whom the platform refuses becomes a dead letter alone; the others are answered", async () => {
  const channel = chat();
  channel.answers = ({ to }) => (to === "s3" ? { status: "refused", reason: "no such number" } : undefined);
  await using s = await serve(fakeProvider(["hello"]), { channel });
  for (const from of senders) await write(s.t, from, ["hi"]);
  await expect.poll(() => channel.sent.length).toBe(19);
  const { lanes } = s.t.slot(Store);
  await expect.poll(async () => (await lanes.stats()).deadLetters).toBe(1);
  const [dead] = await lanes.page("dead", 5);
  channel.answers = () => undefined;
  await lanes.putBack(dead?.number ?? 0);
  await expect.poll(() => channel.sent.at(-1)?.to).toBe("s3");
  expect(s.model.requests).toHaveLength(20);
});

test("INB-02: a wait that the platform asks for is kept, and is no try", async () => {
  using _ = simulateTime(noon);
  const channel = chat();
  const back = Date.now() + hour;
  const asked: number[] = [];
  channel.answers = () => {
    asked.push(Date.now());
    return Date.now() < back ? { status: "retry", reason: "slow down", afterMs: 10 * minute } : undefined;
  };
  await using s = await serve(fakeProvider(["hello"]), { channel });
  await write(s.t, "a", ["hi"]);
  await passing(s.t, () => channel.sent.length === 1, 10 * second);
  expect(asked.length).toBeLessThanOrEqual(8);
});
