import { afterEach, expect, test, vi } from "vitest";
import { definePlugin, Services, Store } from "../index.ts";
import {
  createMemoryStore,
  emptyStoreState,
  memoryStore,
  startTestHost,
  type TestHost,
} from "../testing/index.ts";
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

afterEach(() => void vi.useRealTimers());

const judge = (error: unknown) => ({ reason: String(error) });
const noting = (name: string, seen: string[]) => async (signal: AbortSignal) => {
  seen.push(`${name} begins`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  seen.push(`${name} ends`);
};

/** A node on a shared store whose channel notes in `seen` when its connection begins and ends. */
async function node(
  name: string,
  store: Store,
  seen: string[],
  open: () => void = () => {},
): Promise<TestHost> {
  const plugin = definePlugin({
    name: "channel-mail",
    needs: { store: Store },
    provides: [Services],
    setup(host) {
      const values = () => host.needs.store.values;
      const health = new ChannelHealth({ channel: "mail", values, log: host.log });
      const opened = () => (open(), { health, watchdogMs: 600_000, judge, run: noting(name, seen) });
      serveConnection(host, "mail", opened, { alone: true });
    },
  });
  const host = await startTestHost({ plugins: [memoryStore(store), plugin] });
  await host.serve();
  return host;
}

/** Two handles on one store, as two nodes have them. */
function shared(): readonly [Store, Store] {
  const state = emptyStoreState();
  return [createMemoryStore(state), createMemoryStore(state)];
}

const quick = { toFake: ["setTimeout", "clearTimeout", "Date", "performance"] } as const;

test("SCL-04: one of two nodes has the connection, and the other a second after it stops", async () => {
  vi.useFakeTimers({ ...quick, toFake: [...quick.toFake] });
  const seen: string[] = [];
  const [first, second] = shared();
  const one = await node("one", first, seen);
  const two = await node("two", second, seen);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual(["one begins"]);
  await one.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen).toEqual(["one begins", "one ends", "two begins"]);
  await two.stop();
});

test("SCL-04: a node whose store is silent ends its connection before another begins it", async () => {
  vi.useFakeTimers({ ...quick, toFake: [...quick.toFake] });
  const seen: string[] = [];
  const [first, second] = shared();
  const one = await node("one", first, seen);
  const two = await node("two", second, seen);
  vi.spyOn(first.lanes, "renew").mockReturnValue(new Promise(() => {}));
  vi.spyOn(first.lanes, "hold").mockReturnValue(new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(9_000);
  expect(seen).toEqual(["one begins", "one ends", "two begins"]);
  await Promise.all([one.stop(), two.stop()]);
});

test("SCL-04: one renewal that fails costs no node its connection", async () => {
  vi.useFakeTimers({ ...quick, toFake: [...quick.toFake] });
  const seen: string[] = [];
  const [first, second] = shared();
  const one = await node("one", first, seen);
  const two = await node("two", second, seen);
  vi.spyOn(first.lanes, "renew").mockRejectedValueOnce(new Error("the disk is busy"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual(["one begins"]);
  await Promise.all([one.stop(), two.stop()]);
});

test("SCL-04: a connection that cannot be opened stops the start of the node that has it alone", async () => {
  const [first, second] = shared();
  const broken = node("one", first, [], () => {
    throw new Error("no place to begin");
  });
  await expect(broken).rejects.toThrow("no place to begin");
  const seen: string[] = [];
  const two = await node("two", second, seen);
  expect(seen).toEqual(["two begins"]);
  await two.stop();
});
