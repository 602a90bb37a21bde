import { expect, test } from "vitest";
import { checkPlugin, guardContract, type GuardedCall } from "@gantry/sdk/testing";
import plugin, { officeHours } from "./index.js";

const command: GuardedCall = { tool: "shell", effects: { paths: [], commands: ["make release"], urls: [] } };
const reading: GuardedCall = { tool: "file_read", effects: { paths: [], commands: [], urls: [] } };

test("SDK-05: in office hours the guard says nothing, at night it asks about commands and nothing else", async () => {
  for (const [hour, examples] of [
    [9, { lets: [command, reading] }],
    [17, { lets: [command, reading] }],
    [18, { asks: [command], lets: [reading] }],
    [3, { asks: [command], lets: [reading] }],
  ] as const) {
    const cases = guardContract({ name: plugin.name, guard: officeHours(9, 18, () => hour), ...examples });
    for (const { run } of cases) await expect(run()).resolves.toBeUndefined();
  }
});

test("SDK-05: the guard in plain JavaScript keeps the contract of its kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
