import { renameSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { gantry, said, startGantry } from "./helpers/cli.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const lacking =
  "[gateway]\nport = 0\n[channels.telegram]\nallowed_user_ids = [1]\npairing_enabled = true\n" +
  '[channels.slack]\nallowed_users = ["U12345678"]\n';
const [telegram, slack] = [/The channel telegram lacks bot_token/, /The channel slack lacks/];

test.for(["daemon", "gateway"])(
  "FLR-24: %s does not start while channels lack their tokens, and tells all of them at once",
  async (word) => {
    using home = tempDir(lacking);
    const { code, err } = await gantry([word], { dir: home.dir });
    expect([code, telegram.test(err), slack.test(err)]).toEqual([2, true, true]);
    expect(err).not.toMatch(/left out|ready/);
  },
);

test("FLR-24: a channel without its token stops no turn of the terminal", async () => {
  using home = tempDir(lacking);
  const { code, err } = await gantry(["agent", "-m", "hello"], { dir: home.dir });
  expect([code, err]).toEqual([0, ""]);
});

test.for([
  ["config", "set", "channels.telegram.bot_token", "123456789:AAtokenofthetestsABCDEFGHIJKLMNOPQRS"],
  ["config", "unset", "channels.slack.allowed_users"],
])("FLR-24: `%s %s %s` mends one channel while another lacks its token", async (words) => {
  using home = tempDir(lacking);
  expect(await gantry(words, { dir: home.dir })).toMatchObject({ code: 0 });
});

test("FLR-24: config set refuses what leaves one more channel without its token", async () => {
  using home = tempDir(lacking);
  const set = ["config", "set", "channels.discord.guild_ids", '["12345678901234567"]'];
  const { code, err } = await gantry(set, { dir: home.dir });
  expect([code, err]).toEqual([2, expect.stringMatching(/^gantry: The channel discord lacks .*\n$/)]);
});

test("FLR-24: status, doctor and channel doctor show each channel that lacks its token", async () => {
  using home = tempDir(lacking);
  for (const words of [["status"], ["doctor"], ["channel", "doctor"]]) {
    const { code, out, err } = await gantry(words, { dir: home.dir });
    expect(code).not.toBe(0);
    expect(out).toMatch(/✘ .*telegram lacks bot_token/);
    expect(out).toMatch(/✘ .*slack lacks/);
    expect(`${out}${err}`).not.toMatch(/all else goes on|failed while running/);
  }
});

test("FLR-24: config reload refuses channels that lack their tokens, and what runs stays", async () => {
  using home = tempDir("[gateway]\nport = 0\n");
  const { child, ended } = startGantry(["daemon"], { dir: home.dir });
  await said(child, "stderr", /Gantry is ready/);
  renameSync(home.file, `${home.file}.before`);
  writeFileSync(home.file, lacking, { mode: 0o600 });
  const { code, err } = await gantry(["config", "reload"], { dir: home.dir });
  child.kill("SIGTERM");
  expect([code, telegram.test(err), (await ended).code]).toEqual([1, true, 0]);
});
