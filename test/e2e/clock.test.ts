import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { said, startGantry, tempDir } from "../helpers/cli.ts";
import { freePort, Platform, startEchoModel } from "./platform.ts";
import { clockOf } from "./settable-clock.ts";

const day = 86_400_000;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test(
  "CHA-07: a clock that is set forward and back runs no turn twice, keeps nobody waiting and puts nothing aside",
  { timeout: 300_000 },
  async () => {
    const asked: string[] = [];
    const slow = ["message-slow-1", "message-slow-2"];
    let failing = true;
    const model = await startEchoModel(
      () => (slow.includes(asked.at(-1) ?? "") ? 3_000 : 0),
      (word) => {
        asked.push(word);
        return word === "message-late" && failing ? 503 : undefined;
      },
    );
    const platform = new Platform();
    const graph = await platform.start();
    const port = await freePort();
    const home = tempDir(
      [
        `default_provider = "${model.provider}"\ndefault_model = "m"\n[providers.custom]\nmax_retries = 0`,
        `[gateway]\nport = ${port}\n[endpoints]\ngraph_url = "${graph}"`,
        '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]',
        `app_secret = "${platform.secret}"`,
      ].join("\n"),
    );
    const clock = path.join(home.dir, "clock");
    const NODE_OPTIONS = clockOf(clock);
    const { child, ended } = startGantry(["daemon"], {
      dir: home.dir,
      env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1", NODE_OPTIONS },
    });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
      platform.stop();
      model.close();
      home[Symbol.dispose]();
    });
    await said(child, "stderr", /Gantry is ready/);
    const base = `http://127.0.0.1:${port}`;
    const has = (word: string): boolean => platform.replies.some(({ body }) => body === `re: ${word}`);

    // A turn runs while the clock is set, forward and then back.
    await platform.deliver(base, "491", "1", "message-slow-1");
    await wait(500);
    writeFileSync(clock, String(400 * day));
    await platform.until(() => has("message-slow-1"));
    await platform.deliver(base, "491", "2", "message-slow-2");
    await wait(500);
    writeFileSync(clock, String(-30 * day));
    await platform.until(() => has("message-slow-2"));
    expect(asked.filter((word) => slow.includes(word))).toEqual(slow);

    // A try is pending while the clock is set back by more than a timer can wait.
    await platform.deliver(base, "492", "3", "message-late");
    await wait(700);
    writeFileSync(clock, String(-90 * day));
    failing = false;
    await platform.until(() => has("message-late"));
    expect(platform.replies).toHaveLength(3);
  },
);
