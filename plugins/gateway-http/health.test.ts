import { expect, test } from "vitest";
import { startGateway } from "./gateway.test-kit.ts";

test("GW-01: /health answers without a token and says whether a device is paired", async () => {
  await using gateway = await startGateway();
  const before = await gateway.ask("/health");
  expect(before.status).toBe(200);
  expect(before.json).toEqual({
    status: "ok",
    paired: false,
    require_pairing: true,
    version: gateway.host.runtime.version,
    uptime_seconds: expect.any(Number),
  });
  await gateway.pair();
  expect((await gateway.ask("/health")).json.paired).toBe(true);
});
