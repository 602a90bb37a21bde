import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  channelDoctor,
  DOWN,
  emptyPlace,
  ENTER,
  gantry,
  startOnboarding,
} from "../command-onboard/cli.test-kit.ts";
import { guild, member, owner } from "./discord.test-kit.ts";
import { FakeDiscord, token } from "./fake-discord.test-kit.ts";

const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };
const clear = "\u0015";
const people = `${owner.id}, ${member.id}`;

test("CLI-02: CHN-03: onboard sets Discord up: a wrong kind of token and a missing intent are said before anything is written, the right answers are tried", async () => {
  await using api = await FakeDiscord.start();
  api.guilds.push({ id: guild, name: "Team" });
  api.mayReadWords = false;
  await using place = await emptyPlace();
  const { configDir } = place;
  const file = path.join(configDir, "config.toml");
  await mkdir(configDir, { mode: 0o700 });
  const old = '[channels.discord]\nbot_token = "reset-long-ago"\n';
  await writeFile(file, `${old}[endpoints]\ndiscord_url = "${api.url}"\n`, { mode: 0o600 });
  const terminal = await startOnboarding(configDir, { env });
  await terminal.see("Where shall people write");
  await terminal.answer("Discord", DOWN + DOWN + ENTER);
  await terminal.see("discord.com/developers/applications");
  await terminal.answer("Token of the bot", `${owner.id}${ENTER}`);
  await terminal.answer("Who may write?", `@ada${ENTER}`);
  await terminal.answer("@ada is not the id of a person", `${clear}${token}${ENTER}`);
  await terminal.answer("That is the token", `${clear}${people}${ENTER}`);
  await terminal.answer("answer in servers too", ENTER);
  await terminal.see("this is an id");
  await terminal.answer("Keep these answers", "n");

  await terminal.answer("Token of the bot", `${token}${ENTER}`);
  await terminal.answer("Who may write?", `${people}${ENTER}`);
  await terminal.answer("Message Content Intent", ENTER);
  await terminal.see("may not read what is written in servers");
  await terminal.see("Keep these answers");
  api.mayReadWords = true;
  terminal.type("n");

  await terminal.answer("Token of the bot", `${token}${ENTER}`);
  await terminal.answer("Who may write?", `${people}${ENTER}`);
  await terminal.answer("answer in servers too", ENTER);
  await terminal.see("the platform knows the bot gantry");
  await terminal.see("Write them?");
  expect(await readFile(file, "utf8")).not.toContain(token);
  terminal.type(ENTER);
  await terminal.see("Then: gantry daemon");
  expect(await terminal.ended).toBe(0);

  const text = await readFile(file, "utf8");
  expect(text).toContain(`bot_token = "${token}"`);
  expect(text).toMatch(new RegExp(`allowed_user_ids = \\[ ?"${owner.id}", "${member.id}" ?\\]`));
  expect(text).toMatch(new RegExp(`owners = \\[ ?"${owner.id}" ?\\]`));
  expect(text).toContain('groups = "mention"');
  const rows = await channelDoctor(configDir, env);
  expect(rows).toContainEqual({
    what: "discord",
    state: "ok",
    detail: "the platform knows the bot gantry",
  });
  expect(rows).toContainEqual(
    expect.objectContaining({ what: "discord connection", detail: "never connected" }),
  );
  const status = await gantry(configDir, ["status"], env);
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("discord allowlist")]);
});
