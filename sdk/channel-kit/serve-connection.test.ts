import { expect, test } from "vitest";
import { definePlugin, Services, Store } from "../index.ts";
import { memoryStore, startTestHost, type TestHost } from "../testing/index.ts";
import { ChannelHealth, serveConnection } from "./index.ts";

/** A service whose channel notes when a connection begins and ends. */
async function service(opens: () => void = () => {}): Promise<{ host: TestHost; seen: string[] }> {
  const seen: string[] = [];
  const plugin = definePlugin({
    name: "channel-mail",
    needs: { store: Store },
    provides: [Services],
    setup(host) {
      const health = new ChannelHealth({
        channel: "mail",
        values: () => host.needs.store.values,
        log: host.log,
      });
      serveConnection(host, "mail", () => {
        opens();
        return {
          health,
          watchdogMs: 60_000,
          judge: (error) => ({ reason: String(error) }),
          async run(signal) {
            seen.push("begins");
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            seen.push("ends");
          },
        };
      });
    },
  });
  return { host: await startTestHost({ plugins: [memoryStore(), plugin] }), seen };
}

test("CC-20: a connection begins when the host serves, and has ended once it has stopped", async () => {
  const { host, seen } = await service();
  expect(seen).toEqual([]);
  await host.serve();
  expect([seen, [...host.slot(Services).keys()]]).toEqual([["begins"], ["mail"]]);
  await host.stop();
  expect(seen).toEqual(["begins", "ends"]);
});

test("CC-20: a host that never serves opens nothing, and what cannot be opened stops the start", async () => {
  const quiet = await service();
  await quiet.host.stop();
  expect(quiet.seen).toEqual([]);
  const broken = await service(() => {
    throw new Error("no place to begin");
  });
  await expect(broken.host.serve()).rejects.toThrow("no place to begin");
  await broken.host.stop();
  expect(broken.seen).toEqual([]);
});
