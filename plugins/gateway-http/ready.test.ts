import { Checks, definePlugin, type CheckRow } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { startGateway } from "./gateway.test-kit.ts";

test("OPS-01: /ready is 200, and 503 with the parts that cannot, which the log explains once and at the end", async () => {
  let rows: readonly CheckRow[] = [];
  const part = definePlugin({
    name: "part",
    provides: [Checks],
    setup: (host) => host.provide(Checks, { name: "part", kind: "ready", run: async () => rows }),
  });
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider(["hi"]), part] });
  const ready = async () => {
    const { status, json } = await gateway.ask("/ready");
    return [status, json.status, json.parts, json.warnings];
  };
  expect(await ready()).toEqual([200, "ready", [], []]);
  rows = [{ what: "disk", state: "fail", detail: "no room at /home/me." }];
  await expect.poll(ready).toEqual([503, "not ready", ["disk"], []]);
  rows = [{ what: "disk", state: "warn", detail: "little room" }];
  await expect.poll(ready).toEqual([200, "ready", [], ["disk"]]);
  const lines = gateway.host.logs.map(({ message }) => message).filter((line) => /ready/i.test(line));
  expect(lines).toEqual(["Not ready: disk: no room at /home/me.", "Ready again."]);
});

test("OPS-01: a clock that is set back or forward is a warning until it is set right", async () => {
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider(["hi"])] });
  const warnings = async () => (await gateway.ask("/ready")).json.warnings;
  expect(await warnings()).toEqual([]);
  const real = Date.now.bind(Date);
  const clock = vi.spyOn(Date, "now");
  try {
    for (const days of [-3, 400]) {
      clock.mockImplementation(() => real() + days * 86_400_000);
      await expect.poll(warnings, { timeout: 10_000 }).toEqual(["clock"]);
      clock.mockImplementation(real);
      await expect.poll(warnings, { timeout: 10_000 }).toEqual([]);
    }
  } finally {
    clock.mockRestore();
  }
});

test("OPS-01: a part that fails or does not answer is not ready, and others are still looked at", async () => {
  const failing = definePlugin({
    name: "failing",
    provides: [Checks],
    setup: (host) =>
      host.provide(Checks, {
        name: "failing",
        kind: "ready",
        run: async () => {
          throw new Error("broken");
        },
      }),
  });
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider(["hi"]), failing] });
  const { status, json } = await gateway.ask("/ready", { headers: { "x-forwarded-for": "1.2.3.4" } });
  expect([status, json.parts]).toEqual([503, ["failing"]]);
});

test("OPS-01: uptime_seconds does not go by the clock of the day", async () => {
  await using gateway = await startGateway();
  const uptime = async (): Promise<number> => (await gateway.ask("/health")).json.uptime_seconds;
  const before = await uptime();
  vi.spyOn(Date, "now").mockReturnValue(0);
  try {
    expect((await uptime()) - before).toBeLessThan(5);
    expect(await uptime()).toBeGreaterThanOrEqual(before);
  } finally {
    vi.restoreAllMocks();
  }
});
