import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { emptyPlace, ENTER, gantry, gantryInTerminal } from "./cli.test-kit.ts";

test("CLI-02: where two channels lack what they need, the terminal asks for both and exit code 0 says that it is mended; flags and other faults are refused at once", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const file = path.join(configDir, "config.toml");
  const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };
  const onboard = ["onboard", "--provider", "demo", "--autonomy", "supervised"];
  const write = (text: string): Promise<void> => writeFile(file, text, { mode: 0o600 });
  await mkdir(configDir, { mode: 0o700 });

  const wrong = 'default_temperature = "hot"\nno_such_key = 1\n';
  await write(wrong);
  const refused = gantryInTerminal(configDir, onboard, env);
  await refused.see("[CONFIG_UNKNOWN_KEY]");
  await refused.see("[CONFIG_WRONG_TYPE]");
  expect(await refused.ended).toBe(2);

  const lacking =
    '[channels.telegram]\ngroups = "off"\n[channels_config.chatapp]\nphone_number_id = "1"\n' +
    '[endpoints]\ntelegram_url = "http://127.0.0.1:1"\n[gateway]\nport = 4567\n';
  await write(lacking);
  const flagged = await gantry(configDir, [...onboard, "--yes"], env);
  expect([flagged.code, flagged.stdout]).toEqual([2, ""]);
  expect(flagged.stderr).toMatch(/lacks access_token/);
  expect(await readFile(file, "utf8")).toBe(lacking);

  const terminal = gantryInTerminal(configDir, onboard, env);
  await terminal.answer("Which directory", ENTER);
  await terminal.see("lacks access_token");
  await terminal.answer("Access token", `token-canary${ENTER}`);
  await terminal.answer("Phone number id", `1234${ENTER}`);
  await terminal.answer("Verify token", ENTER);
  await terminal.answer("app secret", "n");
  await terminal.answer("Who may write?", `+15551234567${ENTER}`);
  await terminal.see("lacks bot_token");
  await terminal.answer("Token of the bot", `123456789:${"canary".repeat(6)}${ENTER}`);
  await terminal.answer("Who may write?", `111${ENTER}`);
  await terminal.answer("Keep these answers", "y");
  await terminal.answer("Write them?", ENTER);
  expect(await terminal.ended).toBe(0);
  expect(terminal.shown()).not.toMatch(/Where shall people write/);
  expect(await readFile(file, "utf8")).toContain("port = 4567");
  const status = await gantry(configDir, ["status", "--json"], env);
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("telegram allowlist")]);
});
