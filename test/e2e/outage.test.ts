import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { said, startGantry, tempDir } from "../helpers/cli.ts";
import { freePort, Platform, startEchoModel } from "./platform.ts";

/** True for each text the first time that it is asked for. */
function firstTime(): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => !seen.has(text) && seen.add(text) !== undefined;
}

test("CHA-06: a model and a platform that fail at first cost no message and no order, and a message behind one that waits is answered after it", async () => {
  using home = tempDir();
  const platform = new Platform();
  platform.refuses = firstTime();
  const graph = await platform.start();
  const model = await startEchoModel(() => 0, firstTime());
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
  onTestFinished(() => {
    child.kill("SIGKILL");
    platform.stop();
    model.close();
  });
  await said(child, "stderr", /Gantry is ready/);
  for (const from of ["491", "492"]) {
    for (const n of [1, 2])
      expect(await platform.deliver(`http://127.0.0.1:${port}`, from, `${from}-${n}`, `message-${n}`)).toBe(
        true,
      );
  }
  await platform.until(() => platform.replies.length >= 4);
  for (const from of ["491", "492"])
    expect(platform.replies.filter(({ to }) => to === from).map(({ body }) => body)).toEqual([
      "re: message-1",
      "re: message-2",
    ]);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
});
