import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { textOf, textParts, type InboundMessage } from "@gantry/sdk";
import { channelContract } from "@gantry/sdk/testing";
import { createFileDrop } from "./file-drop.ts";
import plugin from "./index.ts";

const directory = mkdtempSync(path.join(tmpdir(), "file-drop-"));
const received: InboundMessage[] = [];
const drop = createFileDrop("example", directory, async (messages) => received.push(...messages));

test("a dropped file is a message, and the answer lies beside it", async () => {
  writeFileSync(path.join(directory, "ada.in"), "good morning");
  await drop.look();
  const [message] = received;
  assert.deepEqual([message?.sender.id, textOf(message?.parts ?? [])], ["ada", "good morning"]);
  const reply = { to: "ada", parts: textParts("hello"), key: "1" };
  await drop.channel.send(reply, new AbortController().signal);
  assert.equal(readFileSync(path.join(directory, "ada.out"), "utf8"), "hello");
  assert.deepEqual(readdirSync(directory), ["ada.out"]);
});

describe("the contract of a channel", () => {
  for (const { name, run } of channelContract({ channel: drop.channel, to: "ada" })) test(name, run);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "channel-example");
});
