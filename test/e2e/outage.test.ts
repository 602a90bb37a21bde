import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { gantry, said, startGantry, tempDir } from "../helpers/cli.ts";
import { freePort, Platform, startEchoModel } from "./platform.ts";

const long = process.env["GANTRY_LONG"] !== undefined;
/** Longer than it takes to open the circuit of a provider. */
const awayMs = long ? 40_000 : 1_500;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Service {
  readonly platform: Platform;
  readonly base: string;
  readonly dir: string;
  readonly lines: () => readonly string[];
  /** Ends it, and returns how it ended. */
  stop(): Promise<number | null>;
}

/** The daemon, a model that fails as `fails` says, and a platform. */
async function serve(fails: (word: string) => number | undefined): Promise<Service> {
  const home = tempDir();
  const platform = new Platform();
  const graph = await platform.start();
  const model = await startEchoModel(() => 0, fails);
  const port = await freePort();
  writeFileSync(
    home.file,
    [
      `default_provider = "${model.provider}"\ndefault_model = "m"\n[gateway]\nport = ${port}\n[endpoints]\ngraph_url = "${graph}"`,
      '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]',
      `app_secret = "${platform.secret}"`,
    ].join("\n"),
    { mode: 0o600 },
  );
  const { child, ended } = startGantry(["daemon"], {
    dir: home.dir,
    env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" },
  });
  let text = "";
  child.stderr?.on("data", (piece: string) => (text += piece));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    platform.stop();
    model.close();
    home[Symbol.dispose]();
  });
  await said(child, "stderr", /Gantry is ready/);
  return {
    platform,
    base: `http://127.0.0.1:${port}`,
    dir: home.dir,
    lines: () => text.split("\n"),
    stop: async () => {
      child.kill("SIGTERM");
      return (await ended).code;
    },
  };
}

/** 503 for each text the first time that it is asked for. */
function firstTime(): (text: string) => number | undefined {
  const seen = new Set<string>();
  return (text) => {
    if (seen.has(text)) return undefined;
    seen.add(text);
    return 503;
  };
}

test("CHA-06: a model and a platform that fail at first cost no message and no order, and a message behind one that waits is answered after it", async () => {
  const { platform, base, stop } = await serve(firstTime());
  const fails = firstTime();
  platform.refuses = (text) => fails(text) !== undefined;
  for (const from of ["491", "492"]) {
    for (const n of [1, 2])
      expect(await platform.deliver(base, from, `${from}-${n}`, `message-${n}`)).toBe(true);
  }
  await platform.until(() => platform.replies.length >= 4);
  for (const from of ["491", "492"])
    expect(platform.replies.filter(({ to }) => to === from).map(({ body }) => body)).toEqual([
      "re: message-1",
      "re: message-2",
    ]);
  expect(await stop()).toBe(0);
});

test(
  "INB-01: a model that is away for a while, with its circuit open: every message is answered once after its return, and none becomes a dead letter",
  { timeout: 180_000 },
  async () => {
    const state = { isAway: true };
    const { platform, base, dir } = await serve(() => (state.isAway ? 503 : undefined));
    const people = Array.from({ length: 20 }, (_, i) => `49${100 + i}`);
    for (const from of people) await platform.deliver(base, from, `id-${from}`, `message-${from}`);
    await wait(awayMs);
    expect((await gantry(["status"], { dir })).out).toMatch(/messages wait for model/);
    state.isAway = false;
    await platform.until(() => platform.replies.length >= people.length);
    await wait(500);
    const answers = platform.replies.map(({ to, body }) => `${to} ${body}`);
    expect(answers.toSorted()).toEqual(people.map((from) => `${from} re: message-${from}`).toSorted());
    expect((await gantry(["inbox", "list", "--json"], { dir })).out.trim()).toBe('{"messages":[]}');
  },
);

test(
  "INB-02: a platform that refuses the account keeps all replies until it is mended, and says so once",
  { timeout: 180_000 },
  async () => {
    const { platform, base, lines } = await serve(() => undefined);
    const people = Array.from({ length: long ? 120 : 30 }, (_, i) => `49${100 + i}`);
    platform.refusal = 401;
    platform.refuses = () => true;
    for (const from of people) await platform.deliver(base, from, `id-${from}`, `message-${from}`);
    await wait(long ? 20_000 : 2_000);
    platform.refuses = () => false;
    await platform.until(() => platform.replies.length >= people.length);
    await wait(500);
    expect(platform.replies.map(({ to }) => to).toSorted()).toEqual(people.toSorted());
    // Beside it stands only the alert to the owner, where it lasts.
    const said401 = lines().filter((line) => line.includes("API error: 401") && !line.includes('"alert":'));
    expect(said401).toEqual([expect.stringContaining("Messages wait for the channel chatapp")]);
  },
);

test.each([
  ["fails with HTTP 500", (platform: Platform) => (platform.refuses = () => true)],
  ["hangs", (platform: Platform) => (platform.hangs = true)],
])(
  "INB-02: a platform that %s keeps no reply from anybody: each goes out once after its return, and what comes meanwhile is taken",
  { timeout: 300_000 },
  async (_name, breakDown) => {
    const { platform, base, dir } = await serve(() => undefined);
    const people = Array.from({ length: long ? 120 : 20 }, (_, i) => `49${100 + i}`);
    const early = people.slice(0, -5);
    platform.refusal = 500;
    breakDown(platform);
    for (const from of early)
      expect(await platform.deliver(base, from, `id-${from}`, `message-${from}`)).toBe(true);
    await wait(long ? 70_000 : 1_500);
    for (const from of people.slice(-5))
      expect(await platform.deliver(base, from, `id-${from}`, `message-${from}`)).toBe(true);
    const back = performance.now();
    platform.refuses = () => false;
    platform.hangs = false;
    // In the long form nobody hangs up on those who wait, and they have to notice by themselves.
    if (!long) platform.hangUp();
    await platform.until(() => platform.replies.length >= people.length);
    const late = Math.max(...platform.replies.map(({ at }) => at)) - back;
    await wait(500);
    const answers = platform.replies.map(({ to, body }) => `${to} ${body}`);
    expect(answers.toSorted()).toEqual(people.map((from) => `${from} re: message-${from}`).toSorted());
    expect((await gantry(["inbox", "list", "--json"], { dir })).out.trim()).toBe('{"messages":[]}');
    if (!long) return;
    process.stderr.write(`the last reply went out ${Math.round(late / 1_000)} s after the return\n`);
    expect(late).toBeLessThan(30_000);
  },
);
