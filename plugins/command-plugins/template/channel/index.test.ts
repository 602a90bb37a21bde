import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { textOf, textParts, type InboundMessage } from "@gantry/sdk";
import { channelContract } from "@gantry/sdk/testing";
import { createFileDrop } from "./file-drop.ts";
import plugin from "./index.ts";

const directory = mkdtempSync(path.join(tmpdir(), "file-drop-"));
const received: InboundMessage[] = [];
const facts = { name: "example", directory, people: { allowed: ["ada", "bob"], owners: ["bob"] } };
const drop = createFileDrop({ ...facts, receive: async (messages) => received.push(...messages) });
const settled = new Date(Date.now() - 60_000);
const { signal } = new AbortController();

test("a dropped file is a message, and the answer lies beside it", async () => {
  const file = path.join(directory, "ada.in");
  writeFileSync(file, "good morning");
  await drop.look(signal);
  assert.equal(received.length, 0, "a file that is still being written is left alone");
  utimesSync(file, settled, settled);
  await drop.look(signal);
  const [message] = received;
  assert.deepEqual([message?.sender.id, textOf(message?.parts ?? [])], ["ada", "good morning"]);
  await drop.channel.send({ to: "ada", parts: textParts("hello"), key: "1" }, signal);
  assert.equal(readFileSync(path.join(directory, "ada.out"), "utf8"), "hello");
  assert.deepEqual(readdirSync(directory), ["ada.out"]);
});

test("who is allowed is a member, an owner is one, and everybody else a guest at most", async () => {
  received.length = 0;
  for (const name of ["ada", "bob", "eve"]) {
    writeFileSync(path.join(directory, `${name}.in`), "hello");
    utimesSync(path.join(directory, `${name}.in`), settled, settled);
  }
  await drop.look(signal);
  const trusts = received.map(({ sender, trust }) => `${sender.id} ${trust}`);
  assert.deepEqual(trusts.toSorted(), ["ada member", "bob owner", "eve guest"]);
});

test("a file that is found again after a crash is the same message", async () => {
  const ids: string[] = [];
  const crashing = createFileDrop({
    ...facts,
    receive: async ([message]) => {
      ids.push(message?.id ?? "");
      throw new Error("the process ended here");
    },
  });
  const file = path.join(directory, "bob.in");
  writeFileSync(file, "once");
  utimesSync(file, settled, settled);
  await crashing.look(signal).catch(() => {});
  await crashing.look(signal).catch(() => {});
  assert.equal(ids.length, 2);
  assert.equal(ids[0], ids[1]);
});

describe("the contract of a channel", () => {
  for (const { name, run } of channelContract({ channel: drop.channel, to: "ada" })) test(name, run);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "channel-example");
});
