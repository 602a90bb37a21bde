import { Checks, directMessage, listAll, Store, textParts, type CheckRow } from "@gantry/sdk";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import plugin from "./index.ts";
import { layout } from "./layout.ts";
import { doctorRows, readyRows } from "./health.ts";
import { openFile } from "./open.ts";
import { createStore } from "./store.ts";

const script = new URL("worker.test-kit.ts", import.meta.url).pathname;
const DAY = 86_400_000;
let home: string;
let file: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-store-"));
  file = join(home, "state", "gantry.db");
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(home, { recursive: true, force: true });
});

const hello = directMessage({ channel: "t", id: "1", from: "a", text: "hello", timestamp: 1 });
const from = (id: string): Pick<typeof hello, "sender" | "conversation"> => ({
  sender: { id },
  conversation: { id, kind: "direct" },
});

describe("the file", () => {
  test("AGT-04: nothing is opened or made before the first use, and what is made is private", async () => {
    const { store, close } = createStore(file);
    expect(existsSync(join(home, "state"))).toBe(false);
    await store.values.put("s", "k", 1);
    expect(statSync(join(home, "state")).mode & 0o777).toBe(0o700);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    await close();
  });

  test("AGT-04: a file that others could read is made private when it is opened", async () => {
    const first = createStore(file);
    await first.store.values.put("s", "k", 1);
    await first.close();
    await chmod(file, 0o644);
    const { store, close } = createStore(file);
    expect(await store.values.get("s", "k")).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await close();
  });

  test("CHA-06: an older layout is brought up to date with all that it holds, in one step", async () => {
    (await openFile(file, layout.slice(0, 1))).close();
    const old = createStore(file);
    await old.store.lanes.accept([hello]);
    await old.close();
    const broken = [
      ...layout,
      "CREATE TABLE extra (a); INSERT INTO extra VALUES (1); SELECT no_such_function()",
    ];
    await expect(openFile(file, broken)).rejects.toThrow("no_such_function");
    const sql = await openFile(file, [...layout, "CREATE TABLE extra (a)"]);
    expect(sql.all("SELECT * FROM extra")).toEqual([]);
    expect(sql.get("PRAGMA user_version")).toEqual({ user_version: layout.length + 1 });
    expect(sql.get("SELECT id FROM inbox")).toEqual({ id: "1" });
    sql.close();
  });

  test("OPS-04: a file of an earlier release is moved forward, and stays beside it as it was, whole and private", async () => {
    const old = await openFile(file, layout.slice(0, 1));
    const insert = "INSERT INTO sessions (id, turns, updated) VALUES (?, 1, 5)";
    for (const id of ["cli-1", "chatapp:+1555"]) old.run(insert, id);
    const message = JSON.stringify({ ...hello, channel: "chatapp", sender: "+1555" });
    old.run(
      "INSERT INTO inbox (channel, id, lane, message) VALUES ('chatapp', '1', 'chatapp:+1555', ?)",
      message,
    );
    const { store, close } = createStore(file);
    expect(await store.sessions.access("chatapp:+1555")).toEqual({
      owner: "chatapp:+1555",
      sharedWith: [],
    });
    expect(await store.sessions.access("cli-1")).toEqual({ owner: undefined, sharedWith: [] });
    // The earlier release, still running, goes on undisturbed.
    old.run(insert, "cli-2");
    old.close();
    expect(await store.sessions.access("cli-2")).toEqual({ owner: undefined, sharedWith: [] });
    await close();

    expect(statSync(`${file}.layout1`).mode & 0o777).toBe(0o600);
    const copy = await openFile(`${file}.layout1`, layout.slice(0, 1));
    expect(copy.get("PRAGMA user_version")).toEqual({ user_version: 1 });
    expect(copy.all("SELECT id FROM sessions")).toEqual([{ id: "chatapp:+1555" }, { id: "cli-1" }]);
    copy.close();
  });

  test("OPS-04: a file of layout 2 keeps what waits, what was being answered and what requests cost, and stays beside it", async () => {
    const old = await openFile(file, layout.slice(0, 2));
    const message = JSON.stringify(hello);
    const add =
      "INSERT INTO inbox (seq, channel, id, lane, message, attempt, accepted) VALUES (?, 't', ?, ?, ?, ?, 5)";
    old.run(add, 1, "1", "t:a", message, 1);
    old.run(add, 2, "2", "t:b", message, 0);
    old.run(
      "INSERT INTO lanes (lane, head, ready, holder, process, until, running) VALUES ('t:a', 1, 9, 'w', '1.2.3', 9, 1)",
    );
    old.run("INSERT INTO lanes (lane, head) VALUES ('t:b', 2)");
    old.run(`INSERT INTO usage (at, user, session, purpose, provider, model, input, output, cached, micros, ms, outcome)
      VALUES (${Date.now()}, 'u', 's', 'turn', 'p', 'm', 5, 1, 0, 1, 1, 'ok')`);
    old.close();
    const { store, close } = createStore(file);
    await store.lanes.recover();
    const claims = await store.lanes.claim(5, 60_000);
    expect(claims.map(({ number, deliveryCount }) => [number, deliveryCount])).toEqual([
      [1, 2],
      [2, 1],
    ]);
    for (const claim of claims) await store.lanes.ack(claim);
    expect(await store.usage.sum("user", 0)).toMatchObject([{ key: "u", input: 5 }]);
    await close();
    const copy = await openFile(`${file}.layout2`, layout.slice(0, 2));
    expect(copy.get("SELECT count(*) AS n FROM inbox WHERE state = 0")).toEqual({ n: 2 });
    copy.close();
  });

  test("OPS-04: many processes that move a file forward at once keep one copy of the earlier layout", async () => {
    (await openFile(file, layout.slice(0, 1))).close();
    const all = Array.from({ length: 5 }, () => {
      const args = ["--conditions=gantry-source", script, file, "use"];
      return new Promise((resolve) => spawn(process.execPath, args).on("exit", resolve));
    });
    expect(await Promise.all(all)).toEqual([0, 0, 0, 0, 0]);
    const state = readdirSync(join(home, "state"));
    expect(state.filter((name) => name.includes("layout"))).toEqual(["gantry.db.layout1"]);
    (await openFile(`${file}.layout1`, layout.slice(0, 1))).close();
    const sql = await openFile(file);
    expect(sql.get("PRAGMA user_version")).toEqual({ user_version: layout.length });
    sql.close();
  });

  test("OPS-04: where the earlier file cannot be kept, it is not moved forward", async () => {
    (await openFile(file, layout.slice(0, 1))).close();
    await mkdir(`${file}.layout1`);
    await expect(openFile(file)).rejects.toMatchObject({ code: "EISDIR" });
    const sql = await openFile(file, layout.slice(0, 1));
    sql.close();
    expect(readdirSync(join(home, "state")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("SDK-07: what layout 1 kept as text is read as parts: turns with their calls, and messages that wait", async () => {
    const sql = await openFile(file, layout.slice(0, 1));
    const calls = [{ id: "1", name: "clock", args: '{"zone":"UTC"}' }];
    const turn = [
      { role: "user", text: 'odd "text" \u0000 \ud800 日本 \n' },
      { role: "assistant", text: "", toolCalls: calls },
      { role: "tool", callId: "1", name: "clock", text: "noon", failed: true },
      { role: "assistant", text: "It is noon.", toolCalls: [] },
    ];
    const waits = { channel: "t", id: "1", sender: "+49", text: "hello", timestamp: 7 };
    sql.run("INSERT INTO sessions VALUES ('s', 2, 5)");
    for (const messages of [turn, []])
      sql.run("INSERT INTO turns (session, messages) VALUES ('s', ?)", JSON.stringify(messages));
    sql.run(
      "INSERT INTO inbox (channel, id, lane, message) VALUES ('t', '1', 't:+49', ?)",
      JSON.stringify(waits),
    );
    sql.run("INSERT INTO lanes (lane, head) VALUES ('t:+49', 1)");
    sql.close();
    const { store, close } = createStore(file);
    expect(await store.sessions.recent("s", 9)).toEqual(
      turn.map(({ text, ...message }) => ({ ...message, parts: textParts(text) })),
    );
    const [claim] = await store.lanes.claim(1, 1_000);
    expect(claim?.message).toEqual({
      ...directMessage({ channel: "t", id: "1", from: "+49", text: "hello", timestamp: 7 }),
      trust: "member",
    });
    await close();
  });

  test("OPS-03: a store that is removed or replaced while it is in use takes nothing more", async () => {
    for (const replaced of [false, true]) {
      const { store, db, close } = createStore(file);
      await store.values.put("s", "k", 1);
      expect(await readyRows(db, 64)).toMatchObject([{ what: "store", state: "ok" }, { what: "disk" }]);
      await rename(file, `${file}.aside`);
      if (replaced) await writeFile(file, "");
      const put = () => store.values.put("s", "k", 2).then(String, (error: { code: string }) => error.code);
      await expect.poll(put).toBe("STORE_REMOVED");
      expect(await readyRows(db, 64)).toMatchObject([{ what: "store", state: "fail" }]);
      await rename(`${file}.aside`, file);
      expect(await put()).toBe("undefined");
      await close();
    }
  });

  test.each([
    ["missing", undefined],
    ["empty", ""],
  ])("OPS-03: a store that is %s while its log is there is refused, and the log stays", async (_, text) => {
    const { store, close } = createStore(file);
    await store.values.put("s", "k", 1);
    await rename(file, `${file}.aside`);
    if (text !== undefined) await writeFile(file, text);
    const before = sizesIn(join(home, "state"));
    const other = createStore(file);
    const sentence = expect.stringMatching(/gantry\.db is missing or empty.*put the file back/s);
    await expect(other.store.values.get("s", "k")).rejects.toMatchObject({
      code: "STORE_WITHOUT_FILE",
      message: sentence,
    });
    const [row, ...more] = await doctorRows(other.db);
    expect([row, more]).toEqual([{ what: "store file", state: "fail", detail: sentence }, []]);
    await other.close();
    expect(sizesIn(join(home, "state"))).toEqual(before);
    await rename(`${file}.aside`, file);
    await close();
    const again = createStore(file);
    expect(await again.store.values.get("s", "k")).toBe(1);
    await again.close();
  });

  test("OPS-03: doctor reads the whole file and finds damaged pages", async () => {
    const first = createStore(file);
    for (let n = 0; n < 200; n++) await first.store.values.put("s", `k${n}`, "x".repeat(500));
    expect(await doctorRows(first.db)).toMatchObject([{ what: "store file", state: "ok" }]);
    await first.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 8192, bytes.length);
    await writeFile(file, bytes);
    const { db, close } = createStore(file);
    expect(await doctorRows(db)).toMatchObject([{ what: "store file", state: "fail" }]);
    await close();
  });

  test("CHA-06: a file of a newer release is refused and left alone", async () => {
    (await openFile(file, [...layout, "CREATE TABLE extra (a)"])).close();
    const { store, close } = createStore(file);
    await expect(store.values.get("s", "k")).rejects.toMatchObject({ code: "STORE_NEWER", exit: 2 });
    await close();
    (await openFile(file, [...layout, "CREATE TABLE extra (a)"])).close();
  });

  test.each([
    ["text", () => Buffer.from("this is no database, but somebody's only copy of a poem\n".repeat(50))],
    ["a damaged header", () => Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(5000, 0xff)])],
  ])("CHA-06: a file that is %s is named as damaged and never replaced", async (_, bytes) => {
    await mkdir(join(home, "state"));
    await writeFile(file, bytes(), { mode: 0o600 });
    const { store, close } = createStore(file);
    await expect(store.lanes.accept([hello])).rejects.toMatchObject({
      code: "STORE_DAMAGED",
      message: expect.stringContaining(file),
    });
    await close();
    expect(readFileSync(file).equals(bytes())).toBe(true);
  });

  test("CHA-06: pages damaged in the middle are named, not served", async () => {
    const first = createStore(file);
    for (let n = 0; n < 200; n++)
      void first.store.sessions.append(`s${n}`, [{ role: "user", parts: textParts("x".repeat(500)) }]);
    await first.store.sessions.append("last", [{ role: "user", parts: textParts("x") }]);
    await first.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096);
    await writeFile(file, bytes);
    const { store, close } = createStore(file);
    await expect(store.sessions.recent("s7", 5)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    await close();
  });

  test("CHA-06: what cannot be opened fails with its place, and works once the cause is gone", async () => {
    await writeFile(join(home, "state"), "in the way");
    const { store, close } = createStore(file);
    await expect(store.values.put("s", "k", 1)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining(file),
    });
    await rm(join(home, "state"));
    await store.values.put("s", "k", 1);
    expect(await store.values.get("s", "k")).toBe(1);
    await close();
  });

  test.skipIf(process.platform === "win32")(
    "CHA-06: a state directory that may not be written gives STORE_FAILED",
    async () => {
      await mkdir(join(home, "state"));
      await chmod(home, 0o755);
      await chmod(join(home, "state"), 0o555);
      const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
      const { stdout, status } = spawnSync(
        process.execPath,
        ["--conditions=gantry-source", script, file, "use"],
        {
          encoding: "utf8",
          ...nobody,
        },
      );
      expect(stdout).toContain("failed STORE_FAILED");
      expect(stdout).toContain(file);
      expect(status).toBe(0);
    },
  );

  test("CHA-06: one write that fails leaves those that shared its transaction alone", async () => {
    const { store, close } = createStore(file);
    const bad = store.sessions.append(null as unknown as string, [{ role: "user", parts: textParts("x") }]);
    const good = Promise.all([store.lanes.accept([hello]), store.values.put("s", "k", 1)]);
    await expect(bad).rejects.toMatchObject({ code: "STORE_REFUSED" });
    await good;
    expect(await store.values.get("s", "k")).toBe(1);
    expect(await store.lanes.stats()).toMatchObject({ waiting: 1 });
    await close();
  });

  test("CHA-06: finished messages are known for eight days, dead letters for thirty, then both are dropped", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const after = async (
      days: number,
      check: (store: ReturnType<typeof createStore>["store"]) => Promise<void>,
    ): Promise<void> => {
      vi.setSystemTime(start + days * DAY);
      const { store, close } = createStore(file);
      await store.values.put("s", "k", days);
      await check(store);
      await close();
    };
    await after(0, async ({ lanes }) => {
      await lanes.accept([hello, { ...hello, ...from("b"), id: "2" }, { ...hello, ...from("c"), id: "3" }]);
      await lanes.ack((await lanes.claim(1, 1000))[0]!);
      await lanes.deadLetter((await lanes.claim(1, 1000))[0]!, "poison");
    });
    await after(4, async () => {});
    await after(7.9, async ({ lanes }) => expect(await lanes.accept([hello])).toEqual(["duplicate"]));
    await after(8.1, async ({ lanes }) => {
      expect(await lanes.stats()).toEqual({ waiting: 1, running: 0, deadLetters: 1 });
      expect(await lanes.accept([hello])).toEqual(["accepted"]);
    });
    for (const days of [15, 22, 29]) await after(days, async () => {});
    await after(30.1, async ({ lanes }) =>
      expect(await lanes.stats()).toEqual({ waiting: 2, running: 0, deadLetters: 0 }),
    );
  });
});

const left = ({ slot }: TestHost) => slot(Store).sessions.list(9);

describe("retention", () => {
  const turn = [{ role: "user", parts: [{ type: "text", text: "x" }] }] as const;

  test("OPS-03: conversations older than memory.session_retention_days go, with whom they were shared with; others stay", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const configDir = home;
    const config = { memory: { session_retention_days: 10 } };
    const later = async (days: number, work: (store: Store) => Promise<void>): Promise<void> => {
      vi.setSystemTime(start + days * DAY);
      await using t = await startTestHost({ plugins: [plugin], configDir, config });
      await t.slot(Store).values.put("s", "k", days);
      await work(t.slot(Store));
    };
    await later(0, async ({ sessions }) => {
      for (const id of ["old", "used"]) await sessions.append(id, turn);
      await sessions.share("old", "http:a");
    });
    await later(8, ({ sessions }) => sessions.append("used", turn));
    await later(9.9, async ({ sessions }) => expect(await sessions.list(9)).toHaveLength(2));
    await later(10.1, async ({ sessions }) => {
      expect(await sessions.list(9)).toMatchObject([{ id: "used", turns: 2 }]);
      expect(await sessions.access("old")).toBeUndefined();
    });
  });

  test("FLR-14: a start with the clock ahead deletes no conversation, also of a store that never noted the time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const right = Date.now();
    const config = { memory: { session_retention_days: 5 } };
    const at = async (time: number, work: (t: TestHost) => Promise<unknown>): Promise<void> => {
      vi.setSystemTime(time);
      await using t = await startTestHost({ plugins: [plugin], configDir: home, config });
      await t.slot(Store).values.put("s", "k", time);
      await work(t);
    };
    await at(right, ({ slot }) => slot(Store).sessions.append("a", turn));
    const sql = new DatabaseSync(file);
    sql.exec("DELETE FROM named WHERE space = 'retention'");
    sql.close();
    await at(right + 400 * DAY, async (t) => expect(await left(t)).toHaveLength(1));
    // Written under the wrong clock, which makes it no better known.
    await at(right + 400.5 * DAY, ({ slot }) => slot(Store).sessions.append("b", turn));
    await at(right + 400.9 * DAY, async (t) => expect(await left(t)).toHaveLength(2));
    await at(right + 1 * DAY, async (t) => expect(await left(t)).toHaveLength(2));
  });

  test("FLR-14: once the clock was ahead for a day retention goes on, and log and audit have the count", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const right = Date.now();
    const config = { memory: { session_retention_days: 5 } };
    await using t = await startTestHost({ plugins: [plugin], config });
    await t.slot(Store).sessions.append("a", turn);
    for (const days of [30, 30.9, 31]) {
      vi.setSystemTime(right + days * DAY);
      await t.slot(Store).values.put("s", "k", days);
    }
    expect(await t.slot(Store).sessions.list(9)).toEqual([]);
    const deleted = { conversations: 1, dead_letters: 0, usage: 0 };
    expect(t.logs).toContainEqual(
      expect.objectContaining({
        message: "Deleted by age: conversations 1, dead letters 0, usage rows 0.",
      }),
    );
    await expect.poll(() => t.audit).toMatchObject([{ event_type: "retention", args: deleted }]);
  });

  test("OPS-03: without that key no conversation goes, but one that was opened and never had a turn", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const first = createStore(file);
    await first.store.sessions.append("old", turn);
    await first.store.sessions.open("empty", "http:a");
    await first.close();
    vi.setSystemTime(Date.now() + 4_000 * DAY);
    const { store, close } = createStore(file);
    await store.values.put("s", "k", 1);
    vi.setSystemTime(Date.now() + DAY);
    await store.values.put("s", "k", 1);
    expect(await store.sessions.list(9)).toHaveLength(1);
    expect(await store.sessions.access("empty")).toBeUndefined();
    await close();
  });
});

/** The rows of the disk of a service and of `status`. */
async function diskRows(min_free_mb: number): Promise<readonly CheckRow[]> {
  await using t = await startTestHost({ plugins: [plugin], config: { store: { min_free_mb } } });
  await t.slot(Store).values.put("a", "b", 1);
  const look = (name: string) => t.slot(Checks).get(name)!.run(AbortSignal.timeout(9_000));
  const rows = [...(await look("store")), ...(await look("store-disk"))];
  return rows.filter(({ what }) => what === "disk");
}

test("OPS-01: store.min_free_mb says with how little free disk the service is not ready", async () => {
  expect(await diskRows(1)).toMatchObject([{ state: "ok" }]);
  const [ready, disk] = await diskRows(1_073_741_824);
  expect(ready).toMatchObject({ state: "fail", detail: expect.stringContaining("1073741824 MiB are") });
  expect(disk).toMatchObject({ state: "warn", cure: expect.stringContaining("under 1073741824 MiB") });
});

describe("a full disk", () => {
  test("FLR-12: a write that fails on a full disk is the disk's trouble, and calls neither well", async () => {
    const { db, store, close } = createStore(file);
    await store.values.put("s", "k", 1);
    const look = (freeBytes: number) => readyRows(db, 64, async () => freeBytes);
    expect(await look(2 ** 40)).toMatchObject([
      { what: "store", state: "ok" },
      { what: "disk", state: "ok" },
    ]);
    expect(await look(0)).toMatchObject([
      { what: "store", state: "ok" },
      { what: "disk", state: "fail" },
    ]);
    await db.write((sql) => sql.all("PRAGMA query_only = ON"));
    expect(await look(0)).toMatchObject([{ what: "disk", state: "fail" }]);
    expect(await look(2 ** 40)).toMatchObject([{ what: "store", state: "fail" }]);
    await close();
  });

  test("CHA-06: a file that may not grow gives STORE_FAILED, and nothing is half-written", async () => {
    const command = `trap '' XFSZ; ulimit -f 600; exec "$0" --conditions=gantry-source "$1" "$2" fill`;
    await mkdir(join(home, "state"));
    const child = spawn("bash", ["-c", command, process.execPath, script, file], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const { stored, kept, failed } = await untilFull(child.stdout);
    child.kill("SIGKILL");
    expect(failed).toContain("STORE_FAILED");
    // If three are written together, those that still fit alone are kept.
    expect(Math.floor(kept / 3)).toBe(stored);
    const { store, close } = createStore(file);
    expect((await listAll(store.values, "fill")).length).toBe(kept);
    await close();
  });

  const volume = mountable();
  test.skipIf(!volume)("CHA-06: the store goes on by itself when a full disk has room again", async () => {
    const place = join(home, "small");
    await mkdir(place);
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", place]);
    try {
      const child = spawn(
        process.execPath,
        ["--conditions=gantry-source", script, join(place, "gantry.db"), "fill"],
        {
          stdio: ["pipe", "pipe", "inherit"],
        },
      );
      const { stored, kept, failed, lines } = await untilFull(child.stdout);
      expect(failed).toContain("STORE_FAILED");
      expect(Math.floor(kept / 3)).toBe(stored);
      spawnSync("mount", ["-o", "remount,size=8m", place]);
      child.stdin.write("go on\n");
      const more = [(await lines.next()).value, (await lines.next()).value];
      expect(more).toEqual([`stored ${stored}`, `stored ${stored + 1}`]);
      const exit = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGKILL");
      await exit;
    } finally {
      spawnSync("umount", [place]);
    }
  });
});

function sizesIn(folder: string): readonly (readonly [string, number])[] {
  return readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]);
}

async function untilFull(
  stdout: NodeJS.ReadableStream,
): Promise<{ stored: number; kept: number; failed: string; lines: AsyncIterator<string> }> {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  let stored = 0;
  let failed = "";
  for (;;) {
    const { value = "kept 0", done } = await lines.next();
    const [word, rest] = value.split(/ (.*)/s) as [string, string];
    if (word === "stored") stored++;
    if (word === "failed") failed = rest;
    if (done || word === "kept") return { stored, kept: Number(rest), failed, lines };
  }
}

function mountable(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  return spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "-o", "size=1m", "none", "/mnt"]).status === 0;
}
