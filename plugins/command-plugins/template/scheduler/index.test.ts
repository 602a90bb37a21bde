import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf, type Outbox, type ServiceMessage } from "@gantry/sdk";
import plugin from "./index.ts";
import { createScheduler } from "./scheduler.ts";

/** Keeps each key once, as the host's outbox does. */
function outbox() {
  const sent: ServiceMessage[] = [];
  const send: Outbox["send"] = async (message) => {
    if (sent.some(({ key }) => key === message.key)) return "duplicate";
    sent.push(message);
    return "accepted";
  };
  return { sent, send };
}

const reminder = { at: "09:00", channel: "chat", to: "ada", text: "Good morning." };
const at = (day: number, hour: number) => new Date(2030, 0, day, hour, 30);

test("nothing is said before the hour, and one thing after it", async () => {
  const box = outbox();
  const { look } = createScheduler(reminder, box, () => {});
  await look(at(1, 8));
  assert.equal(box.sent.length, 0);
  await look(at(1, 9));
  await look(at(1, 20));
  assert.deepEqual(
    box.sent.map(({ to, parts }) => [to, textOf(parts)]),
    [["ada", "Good morning."]],
  );
});

test("it is said once a day, whoever asks, also after a restart", async () => {
  const box = outbox();
  for (const day of [1, 1, 2, 2]) await createScheduler(reminder, box, () => {}).look(at(day, 12));
  assert.equal(box.sent.length, 2);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "scheduler-example");
});
