import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import type { Part } from "@gantry/sdk";
import { expect, test } from "vitest";
import { member, startTelegram, type TestTelegram } from "./telegram.test-kit.ts";

/** The channel, and what each turn brought to the model. */
async function start() {
  const asked: (readonly Part[])[] = [];
  const provider = fakeProvider([({ messages }) => (asked.push(messages.at(-1)?.parts ?? []), "seen")]);
  const t = await startTelegram({ plugins: [memoryStore(), provider] });
  return { t, asked };
}

function say(t: TestTelegram, name: string, more: Readonly<Record<string, unknown>> = {}): void {
  t.api.files.set(name, Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.from(name)]));
  t.say("", { photo: [{ file_id: name, file_size: 11 }], media_group_id: "album", ...more });
}

const pictures = (parts: readonly Part[] = []) => parts.filter(({ type }) => type === "media").length;
const polls = (t: TestTelegram) => t.api.of("getUpdates").length;

test("FLR-10: an album whose pictures come in several polls is one turn", async () => {
  const { t, asked } = await start();
  await using _ = t;
  await t.api.until(() => polls(t) > 1);
  const before = polls(t);
  // The held poll returns with the first alone.
  say(t, "a", { caption: "What differs?" });
  say(t, "b");
  await t.api.until(() => polls(t) > before);
  say(t, "c");
  await t.api.sent(1);
  expect(asked.map(pictures)).toEqual([3]);
});

test("FLR-10: what somebody else writes between the pictures is a turn of its own", async () => {
  const { t, asked } = await start();
  await using _ = t;
  await t.api.until(() => polls(t) > 1);
  say(t, "a");
  t.say("hello", { from: member });
  say(t, "b");
  await t.api.sent(2);
  expect(asked.map(pictures).toSorted()).toEqual([0, 2]);
});

test("FLR-10: nothing of an album is confirmed before all of it is kept", async () => {
  const { t } = await start();
  await using _ = t;
  await t.api.until(() => polls(t) > 1);
  say(t, "a");
  const before = polls(t);
  await t.api.until(() => polls(t) > before);
  expect(t.api.confirmed).toEqual([]);
  await t.api.sent(1);
  await t.api.until(() => t.api.confirmed.length > 0);
});
