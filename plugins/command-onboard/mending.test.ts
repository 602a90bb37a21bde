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
  await terminal.see("Which directory");
  terminal.type(ENTER);
  await terminal.see("lacks access_token");
  await terminal.see("Access token");
  terminal.type(`token-canary${ENTER}`);
  await terminal.see("Phone number id");
  terminal.type(`1234${ENTER}`);
  await terminal.see("Verify token");
  terminal.type(ENTER);
  await terminal.see("app secret");
  terminal.type("n");
  await terminal.see("Who may write?");
  terminal.type(`+15551234567${ENTER}`);
  await terminal.see("lacks bot_token");
  await terminal.see("Token of the bot");
  terminal.type(`123456789:${"canary".repeat(6)}${ENTER}`);
  await terminal.see("Who may write?");
  terminal.type(`111${ENTER}`);
  await terminal.see("Keep these answers");
  terminal.type("y");
  await terminal.see("Write them?");
  terminal.type(ENTER);
  expect(await terminal.ended).toBe(0);
  expect(terminal.shown()).not.toMatch(/Where shall people write/);
  expect(await readFile(file, "utf8")).toContain("port = 4567");
  const status = await gantry(configDir, ["status", "--json"], env);
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("telegram allowlist")]);
});
