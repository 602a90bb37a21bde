import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gantry, said, startGantry, tempDir } from "../helpers/cli.ts";
import { startModel } from "../helpers/model.ts";
import { freePort, Platform, startEchoModel, unbounded } from "./platform.ts";
import { limitedDisk, mountDisk, type SmallDisk } from "./small-disk.ts";

const fullMs = process.env["GANTRY_LONG"] === undefined ? 2_000 : 90_000;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const mayMount = canMount();
const why = mayMount ? "" : " (skipped: this user may not mount a file system)";

function canMount(): boolean {
  using home = tempDir();
  const disk = mountDisk(home.dir);
  disk?.remove();
  return disk !== undefined;
}

interface Outcome {
  readonly platform: Platform;
  readonly accepted: ReadonlyMap<string, readonly string[]>;
  readonly refused: number;
  /** The lines of the service from the moment the disk was full. */
  readonly lines: readonly { readonly level: string; readonly msg: string }[];
}

/** Senders write on while the disk fills up and until it has been free again for a while. */
async function outage(disk: SmallDisk): Promise<Outcome> {
  const platform = new Platform();
  const graph = await platform.start();
  const model = await startEchoModel(() => Math.random() * 30);
  const port = await freePort();
  writeFileSync(
    path.join(disk.dir, "config.toml"),
    [
      `default_provider = "${model.provider}"\ndefault_model = "m"`,
      `[gateway]\nport = ${port}\n${unbounded}`,
      `[endpoints]\ngraph_url = "${graph}"`,
      '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]',
      `app_secret = "${platform.secret}"`,
    ].join("\n"),
    { mode: 0o600 },
  );
  const accepted = new Map<string, string[]>();
  const now = { isOver: false };
  let isFull = false;
  let refused = 0;
  const sender = async (from: string): Promise<void> => {
    const mine: string[] = [];
    accepted.set(`+${from}`, mine);
    for (let n = 0; !now.isOver; n += 1) {
      const word = `message-${from}-${n}`;
      while (!(await platform.deliver(`http://127.0.0.1:${port}`, from, `id-${word}`, word))) {
        refused += isFull ? 1 : 0;
        if (now.isOver) return;
        await wait(20);
      }
      mine.push(word);
      await wait(10 + Math.random() * 20);
    }
  };
  const count = (): number => [...accepted.values()].flat().length;
  const { child, ended } = startGantry(["daemon"], {
    dir: disk.dir,
    env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" },
  });
  try {
    await said(child, "stderr", /Gantry is ready/);
    const senders = ["491", "492", "493", "494", "495"].map(sender);
    await platform.until(() => platform.replies.length >= 30);
    let later = "";
    child.stderr?.on("data", (text: string) => (later += text));
    isFull = true;
    disk.fill(child.pid as number);
    await wait(fullMs);
    disk.free(child.pid as number);
    isFull = false;
    const before = count();
    while (count() < before + 30) await wait(50);
    now.isOver = true;
    await Promise.all(senders);
    const all = [...accepted.values()].flat();
    await platform.until(() =>
      all.every((word) => platform.replies.some(({ body }) => body === `re: ${word}`)),
    );
    expect(child.exitCode).toBeNull();
    const lines = later.split("\n").filter((line) => line.startsWith("{"));
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    return {
      platform,
      accepted,
      refused,
      lines: lines.map((line) => JSON.parse(line) as Outcome["lines"][number]),
    };
  } finally {
    child.kill("SIGKILL");
    platform.stop();
    model.close();
  }
}

/** Every accepted message answered once and in order, and the trouble told a few times at most. */
function faultsOf({ platform, accepted, lines }: Outcome): string[] {
  const faults: string[] = [];
  for (const [number, words] of accepted) {
    const mine = platform.replies.filter(({ to }) => `+${to}` === number).map(({ body }) => body);
    const due = words.map((word) => `re: ${word}`);
    if (mine.join() !== due.join()) faults.push(`${number}: ${mine.join(" ")} instead of ${due.join(" ")}`);
  }
  const complaints = lines.filter(({ level }) => level === "error" || level === "warn").map(({ msg }) => msg);
  if (complaints.length === 0) faults.push("nothing was said");
  if (complaints.length > 10)
    faults.push(`said ${complaints.length} times: ${complaints.slice(0, 12).join("\n")}`);
  return faults;
}

test.skipIf(!mayMount)(
  `CHA-06: a disk that is full for a while costs no accepted message, no order and no answer twice, and is told once${why}`,
  { timeout: 300_000 },
  async () => {
    using home = tempDir();
    const disk = mountDisk(home.dir) as SmallDisk;
    try {
      const outcome = await outage(disk);
      expect(outcome.refused).toBeGreaterThan(0);
      expect(faultsOf(outcome)).toEqual([]);
    } finally {
      disk.remove();
    }
  },
);

test(
  "CHA-06: files that may not grow for a while cost no accepted message, no order and no answer twice, and are told once",
  { timeout: 300_000 },
  async () => {
    using home = tempDir();
    const outcome = await outage(limitedDisk(home.dir));
    expect(outcome.refused).toBeGreaterThan(0);
    expect(faultsOf(outcome)).toEqual([]);
  },
);

/** A call whose record is longer than what may be left of the last block. */
const write = (name: string): { calls: { name: string; args: object }[] } => ({
  calls: [{ name: "file_write", args: { path: name, content: "x".repeat(8_000) } }],
});

test.skipIf(!mayMount)(
  `AUD-03: no tool runs while its record finds no space, and tools run again once there is some${why}`,
  { timeout: 300_000 },
  async () => {
    await using model = await startModel(
      write("before.txt"),
      "done",
      write("during.txt"),
      "done",
      write("after.txt"),
      "done",
    );
    using home = tempDir();
    const disk = mountDisk(home.dir) as SmallDisk;
    try {
      const workspace = path.join(home.dir, "workspace");
      writeFileSync(
        home.file,
        [
          `default_provider = "${model.provider}"\ndefault_model = "m"`,
          `[agent]\nautonomy_level = "autonomous"\n[security]\nworkspace_path = "${workspace}"`,
          `[security.audit]\nlog_path = "${path.join(disk.dir, "audit.jsonl")}"\n[gateway]\nport = 0`,
        ].join("\n"),
      );
      const { child, ended } = startGantry(["gateway"], { dir: home.dir });
      onTestFinished(() => void child.kill("SIGKILL"));
      const ready = await said(child, "stderr", /Gantry is ready/);
      const base = /"url":"([^"]+)"/.exec(ready)?.[1] ?? "";
      const post = async (
        to: string,
        body: object,
        headers: Record<string, string> = {},
      ): Promise<Record<string, unknown>> => {
        const init = {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
        };
        return (await (await fetch(`${base}${to}`, init)).json()) as Record<string, unknown>;
      };
      const { token } = await post("/pair", { code: /Pairing code: (\d+)/.exec(ready)?.[1] ?? "" });
      const chat = async (): Promise<unknown> =>
        (await post("/api/chat", { message: "write" }, { authorization: `Bearer ${String(token)}` }))[
          "tool_calls"
        ];
      expect(await chat()).toEqual([{ tool: "file_write", decision: "allowed" }]);
      disk.fill(0);
      expect(await chat()).toEqual([{ tool: "file_write", decision: "refused", code: "AUDIT_FAILED" }]);
      disk.free(0);
      expect(await chat()).toEqual([{ tool: "file_write", decision: "allowed" }]);
      const exist = ["before.txt", "during.txt", "after.txt"].map((name) =>
        existsSync(path.join(workspace, name)),
      );
      expect(exist).toEqual([true, false, true]);
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      expect((await ended).code).toBe(0);
      expect((await gantry(["audit", "verify"], { dir: home.dir })).code).toBe(0);
      expect(readFileSync(path.join(disk.dir, "audit.jsonl"), "utf8")).not.toContain("during.txt");
    } finally {
      disk.remove();
    }
  },
);
