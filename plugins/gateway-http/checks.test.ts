import { Checks, type CheckRow } from "@gantry/sdk";
import { memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { maxConnections } from "./connections.ts";
import { startGateway } from "./gateway.test-kit.ts";
import plugin from "./index.ts";

async function rows(kind: "status" | "doctor", gateway: object): Promise<readonly CheckRow[]> {
  await using host = await startTestHost({ plugins: [memoryStore(), plugin], config: { gateway } });
  return await host.slot(Checks).get(`gateway-${kind}`)!.run(AbortSignal.timeout(60_000));
}

test("GW-06: status says whether the gateway listens, and whether pairing is on", async () => {
  await using running = await startGateway();
  const [listening, pairing] = await rows("status", { port: running.port });
  expect(listening).toMatchObject({
    what: "gateway",
    state: "ok",
    detail: expect.stringContaining(running.url),
  });
  expect(pairing).toMatchObject({ state: "ok", detail: "required; 0 devices are paired" });
  const { port } = running;
  await running.stop();
  expect((await rows("status", { port }))[0]).toMatchObject({
    state: "warn",
    cure: expect.stringContaining("gantry gateway"),
  });
  expect((await rows("status", { port, require_pairing: false }))[1]).toMatchObject({
    state: "warn",
    cure: expect.stringContaining("require_pairing"),
  });
});

test("GW-06: doctor names what a start would trip over", async () => {
  expect(
    await rows("doctor", { port: 1, host: "0.0.0.0", tls_enabled: true, tls_cert_path: "gone.pem" }),
  ).toMatchObject([
    { what: "gateway", state: "warn" },
    { what: "gateway pairing", state: "ok" },
    { what: "gateway address", state: "ok" },
    { what: "gateway tls", state: "fail", detail: expect.stringContaining("gone.pem") },
  ]);
  expect((await rows("doctor", { port: 1, host: "0.0.0.0" }))[2]).toMatchObject({
    state: "fail",
    detail: expect.stringContaining("without TLS"),
  });
});

test("GW-04: the bound for connections leaves half of the files to everything else", () => {
  expect(maxConnections()).toBeGreaterThan(0);
  expect(maxConnections()).toBeLessThanOrEqual(1_024);
});
