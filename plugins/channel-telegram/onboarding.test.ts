import { readFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { emptyPlace, ENTER, gantry, gantryInTerminal } from "../command-onboard/cli.test-kit.ts";
import { FakeBotApi, token } from "./fake-bot-api.test-kit.ts";

const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };

test("CLI-02: CHN-01: onboard sets Telegram up: a wrong token is said before anything is written, the right one is tried", async () => {
  await using api = await FakeBotApi.start();
  await using place = await emptyPlace();
  const { configDir } = place;
  const file = path.join(configDir, "config.toml");
  await mkdir(configDir, { mode: 0o700 });
  // A table without its token: nothing that needs the whole file starts with it.
  const old = "[channels.telegram]\nallowed_user_ids = [5]\n";
  await writeFile(file, `${old}[endpoints]\ntelegram_url = "${api.url}"\n`, { mode: 0o600 });
  expect((await gantry(configDir, ["inbox", "list"], env)).stderr).toContain("[CHANNEL_MISSING]");
  const terminal = gantryInTerminal(
    configDir,
    ["onboard", "--provider", "demo", "--autonomy", "supervised"],
    env,
  );
  await terminal.see("Which directory");
  terminal.type(ENTER);
  await terminal.see("The channel telegram lacks bot_token");
  await terminal.see("Token of the bot");
  terminal.type(`123456789:${"wrong".repeat(7)}${ENTER}`);
  await terminal.see("Who may write?");
  terminal.type(`@ada${ENTER}`);
  await terminal.see("@ada is not the number of a person");
  terminal.type(`\u0015111, 222${ENTER}`);
  await terminal.see("API error: 401");
  await terminal.see("Keep these answers");
  terminal.type("n");
  await terminal.see("Token of the bot");
  terminal.type(`${token}${ENTER}`);
  await terminal.see("Who may write?");
  terminal.type(`111, 222${ENTER}`);
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
  const doctor = await gantry(configDir, ["channel", "doctor", "--json"], env);
  const { rows } = JSON.parse(doctor.stdout) as { rows: { what: string; state: string; detail: string }[] };
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
