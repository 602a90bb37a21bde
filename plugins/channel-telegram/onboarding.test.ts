import { readFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  channelDoctor,
  emptyPlace,
  ENTER,
  gantry,
  startOnboarding,
} from "../command-onboard/cli.test-kit.ts";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";

const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };

test("CLI-02: CHN-01: onboard sets Telegram up: a wrong token is said before anything is written, the right one is tried", async () => {
  await using api = await FakeBotApi.start();
  await using place = await emptyPlace();
  const { configDir } = place;
  const file = path.join(configDir, "config.toml");
  await mkdir(configDir, { mode: 0o700 });
  // A table without its token: nothing serves with it.
  const old = "[channels.telegram]\nallowed_user_ids = [5]\n";
  await writeFile(file, `${old}[endpoints]\ntelegram_url = "${api.url}"\n`, { mode: 0o600 });
  expect((await gantry(configDir, ["daemon"], env)).stderr).toContain("[CHANNEL_MISSING]");
  const terminal = await startOnboarding(configDir, { env });
  await terminal.see("The channel telegram lacks bot_token");
  await terminal.answer("Token of the bot", `123456789:${"wrong".repeat(7)}${ENTER}`);
  await terminal.answer("Who may write?", `@ada${ENTER}`);
  await terminal.answer("@ada is not the number of a person", `\u0015111, 222${ENTER}`);
  await terminal.see("API error: 401");
  await terminal.answer("Keep these answers", "n");
  await terminal.answer("Token of the bot", `${token}${ENTER}`);
  await terminal.answer("Who may write?", `111, 222${ENTER}`);
  await terminal.see("the platform knows the bot @gantry_bot");
  await terminal.see("Write them?");
  expect(await readFile(file, "utf8")).not.toContain(token);
  terminal.type(ENTER);
  await terminal.see("Then: gantry daemon");
  expect(await terminal.ended).toBe(0);
  expect(terminal.shown()).not.toContain(token);

  const text = await readFile(file, "utf8");
  expect(text).toContain(`bot_token = "${token}"`);
  expect(text).toMatch(/allowed_user_ids = \[ ?111, 222 ?\]/);
  expect(text).toMatch(/owners = \[ ?111 ?\]/);
  const rows = await channelDoctor(configDir, env);
  expect(rows).toContainEqual({
    what: "telegram",
    state: "ok",
    detail: "the platform knows the bot @gantry_bot",
  });
  expect(rows).toContainEqual(
    expect.objectContaining({ what: "telegram connection", detail: "never connected" }),
  );
  const status = await gantry(configDir, ["status"], env);
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("telegram allowlist")]);
});
