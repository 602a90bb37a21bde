import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, said, startGantry, tempDir } from "../helpers/cli.ts";
import { nextRelease } from "../helpers/next-release.ts";
import { installedBin, installGlobally, packed } from "../helpers/package.ts";
import { freePort, Platform, startEchoModel, unbounded } from "./platform.ts";

const rounds = process.env["GANTRY_LONG"] ? 6 : 1;
/**
 * Nobody writes further ahead of the answers: else what waits grows with every minute, and the test
 * answers it at its end.
 */
const ahead = 25;

test(
  "OPS-04: a service under load goes over to a release with other file names, and back: none lost, none twice, no word of trouble",
  { timeout: 600_000 },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "gantry-upgrade-"));
    const prefix = path.join(folder, "prefix");
    const older = packed();
    const newer = nextRelease(older, path.join(folder, "newer"), "0.2.0");
    await installGlobally(older, prefix);
    const bin = installedBin(prefix);
    const platform = new Platform();
    const graph = await platform.start();
    const words = new Set<string>();
    // Some are refused once, so that code is needed that a service has had no need of before.
    const model = await startEchoModel(
      () => Math.random() * 20,
      (word) => (word.endsWith("-7") && !words.has(word) && words.add(word) ? 503 : undefined),
    );
    const port = await freePort();
    using home = tempDir(
      [
        `default_provider = "${model.provider}"`,
        'default_model = "m"',
        `[gateway]\nport = ${port}\n${unbounded}`,
        `[endpoints]\ngraph_url = "${graph}"`,
        '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]',
        `app_secret = "${platform.secret}"`,
      ].join("\n"),
    );
    // As under a service manager: nobody is told a code.
    const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1", INVOCATION_ID: "1" };
    const run = { dir: home.dir, bin, env };
    const log: string[] = [];
    const start = async (): Promise<ChildProcess> => {
      const { child } = startGantry(["daemon"], run);
      child.stderr?.on("data", (text: string) => log.push(...text.trim().split("\n")));
      await said(child, "stderr", /Gantry is ready/);
      return child;
    };
    const over = new AbortController();
    const sender = async (from: string): Promise<string[]> => {
      const mine: string[] = [];
      const answers = (): number => platform.replies.filter(({ to }) => to === from).length;
      for (let n = 0; !over.signal.aborted; n += 1) {
        await platform.until(() => n - answers() < ahead);
        const word = `message-${from}-${n}`;
        await platform.deliverUntilTaken(`http://127.0.0.1:${port}`, from, `id-${word}`, word);
        mine.push(word);
        await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 40));
      }
      return mine;
    };
    const answered = (count: number): Promise<void> => {
      const so = platform.replies.length + count;
      return platform.until(() => platform.replies.length >= so);
    };
    let child = await start();
    try {
      const senders = ["491", "492", "493", "494"].map(sender);
      await answered(10);
      for (let round = 0; round < rounds; round += 1) {
        for (const [file, version, before] of [
          [newer, "0.2.0", "0.1.0"],
          [older, "0.1.0", "0.2.0"],
        ] as const) {
          await installGlobally(file, prefix);
          await answered(20);
          const again = said(child, "stderr", /The configuration was read again|"level":"error"/);
          child.kill("SIGHUP");
          await again;
          await answered(10);
          expect((await gantry(["--version"], run)).out.trim()).toBe(version);
          const { out } = await gantry(["status"], run);
          expect(out).toMatch(new RegExp(`version ${before} still runs`));
          expect(await stopped(child)).toBe(0);
          child = await start();
          await answered(10);
        }
      }
      over.abort();
      const all = (await Promise.all(senders)).flat();
      await platform.until(() => platform.replies.length >= all.length);
      expect(await stopped(child)).toBe(0);
      const sent = platform.replies.map(({ body }) => body);
      const trouble = log
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { level: string; code?: string })
        .filter(({ level, code }) => !["info", "debug"].includes(level) && code !== "PROVIDER_SERVER");
      // Both at once: where one is twice, the log says why.
      const answers = all.map((word) => `re: ${word}`).toSorted();
      expect({ trouble, sent: sent.toSorted() }).toEqual({ trouble: [], sent: answers });
    } finally {
      over.abort();
      child.kill("SIGKILL");
      model.close();
      await platform.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

async function stopped(child: ChildProcess): Promise<number | null> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = (await ended) as [number | null];
  return code;
}
