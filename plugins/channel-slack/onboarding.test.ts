import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  channelDoctor,
  emptyPlace,
  ENTER,
  gantry,
  startOnboarding,
  UP,
} from "../command-onboard/cli.test-kit.ts";
import { appToken, botToken } from "./fake-slack.test-kit.ts";
import { manifest, manifestAddress, scopes } from "./manifest.ts";
import { neededScopes } from "./slack-limits.test-kit.ts";
import { startWorkspace } from "./slack.test-kit.ts";

const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };

test("CLI-02: CHN-03: onboard sets Slack up: it tells how the app is made, says swapped tokens before anything is written, and tries the right ones", async () => {
  await using api = await startWorkspace();
  await using place = await emptyPlace();
  const { configDir } = place;
  const file = path.join(configDir, "config.toml");
  await mkdir(configDir, { mode: 0o700 });
  const old = '[channels.slack]\nbot_token = "xoxb-revoked-long-ago"\napp_token = "xapp-revoked-long-ago"\n';
  await writeFile(file, `${old}[endpoints]\nslack_url = "${api.url}"\n`, { mode: 0o600 });
  const terminal = await startOnboarding(configDir, { env });
  await terminal.see("Where shall people write");
  await terminal.answer("Slack", UP + UP + ENTER);
  await terminal.see("manifest");
  await terminal.answer("Bot User OAuth Token", `${appToken}${ENTER}`);
  await terminal.answer("App-level token", `${botToken}${ENTER}`);
  await terminal.answer("Who may write?", `@ada${ENTER}`);
  await terminal.answer("@ada is not a member id", `\u0015UADA00001, UBOB00002${ENTER}`);
  await terminal.see("are swapped");
  await terminal.answer("Keep these answers", "n");
  await terminal.answer("Bot User OAuth Token", `${botToken}${ENTER}`);
  await terminal.answer("App-level token", `${appToken}${ENTER}`);
  await terminal.answer("Who may write?", `UADA00001, UBOB00002${ENTER}`);
  await terminal.see("the platform knows the bot @gantry in Acme");
  await terminal.see("Write them?");
  expect(await readFile(file, "utf8")).not.toContain(botToken);
  terminal.type(ENTER);
  await terminal.see("Then: gantry daemon");
  expect(await terminal.ended).toBe(0);
  for (const token of [botToken, appToken]) expect(terminal.shown()).not.toContain(token);

  const text = await readFile(file, "utf8");
  expect(text).toContain(`bot_token = "${botToken}"`);
  expect(text).toMatch(/allowed_users = \[ ?"UADA00001", "UBOB00002" ?\]/);
  expect(text).toMatch(/owners = \[ ?"UADA00001" ?\]/);
  const rows = await channelDoctor(configDir, env);
  expect(rows).toContainEqual({
    what: "slack",
    state: "ok",
    detail: "the platform knows the bot @gantry in Acme",
  });
  expect(rows).toContainEqual({
    what: "slack socket mode",
    state: "ok",
    detail: "the app token opens connections",
  });
  expect(rows).toContainEqual(
    expect.objectContaining({ what: "slack connection", detail: "never connected" }),
  );
  const printed = await gantry(configDir, ["slack", "manifest"], env);
  expect(JSON.parse(printed.stdout)).toEqual(manifest);
  const status = await gantry(configDir, ["status"], env);
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("slack allowlist")]);
});

test("CHN-03: the manifest asks for what the methods of this channel need, and stands whole in the example and in the address that makes the app", () => {
  const needed = Object.values(neededScopes).filter((scope) => scope !== "connections:write");
  for (const scope of needed) expect(scopes).toContain(scope);
  const example = new URL("../../examples/slack-app.json", import.meta.url);
  expect(JSON.parse(readFileSync(example, "utf8"))).toEqual(manifest);
  const told = new URL(manifestAddress).searchParams.get("manifest_json") ?? "";
  expect(JSON.parse(told)).toEqual(manifest);
});
