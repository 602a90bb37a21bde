import { readdirSync, readFileSync } from "node:fs";
import type { Plugin } from "@gantry/sdk";
import { chatChannel } from "@gantry/sdk/channel";
import { channelPlatformContract } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import bot from "../examples/channel-bot/index.ts";
import matrix from "../examples/channel-matrix/index.ts";
import chatapp from "../plugins/channel-chatapp/index.ts";
import discord from "../plugins/channel-discord/index.ts";
import slack from "../plugins/channel-slack/index.ts";
import telegram from "../plugins/channel-telegram/index.ts";

function unused(): never {
  throw new Error("not set up here");
}

/** Channels of the frame that give nothing but their facts. */
const facts = {
  name: "bare",
  title: "Bare",
  summary: "",
  config: Type.Object({}),
  allowlist: "",
  personForm: /^$/,
  settings: unused,
  open: unused,
};
const bare = chatChannel(facts);
const hooked = chatChannel({ ...facts, webhook: true });

const channels: readonly (readonly [string, Plugin, Plugin])[] = [
  ["telegram", telegram, bare],
  ["discord", discord, bare],
  ["slack", slack, bare],
  ["matrix", matrix, bare],
  ["bot", bot, bare],
  ["chatapp", chatapp, hooked],
];

test.each(channels)("HSE-02: the chat channel %s is made by the one frame", (name, plugin, frame) => {
  expect(plugin.name).toBe(`channel-${name}`);
  // The frame's own table of needs, not one like it.
  expect(plugin.needs).toBe(frame.needs);
  expect([plugin.provides, plugin.taps]).toEqual([frame.provides, frame.taps]);
});

/** Titles without the ids before them. */
function claimOf(title: string): string {
  return title.replace(/^(?:[A-Z]+-\d+: )+/, "");
}

const folders = ["telegram", "discord", "slack", "chatapp", "email"].map(
  (name) => new URL(`../plugins/channel-${name}/`, import.meta.url),
);
const claims = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => [...readFileSync(new URL(file, folder), "utf8").matchAll(/^test\("([^"]+)"/gm)])
    .map(([, title = ""]) => claimOf(title)),
);

test("HSE-02: what the platform contract claims of every channel stands in none besides", () => {
  const people = { owner: "a", member: "b", stranger: "c", bot: "d", self: "e" };
  const has = { groups: true, threads: true, buttons: true, repeats: true, framed: true } as const;
  const cases = channelPlatformContract({
    channel: "any",
    people,
    to: "a",
    secrets: [],
    ...has,
    open: unused,
  });
  const shared = cases.map(({ name }) => claimOf(name));
  expect(shared.length).toBeGreaterThanOrEqual(20);
  expect(new Set(shared).size).toBe(shared.length);
  expect(claims.length).toBeGreaterThan(100);
  expect(claims.filter((claim) => shared.includes(claim))).toEqual([]);
});
