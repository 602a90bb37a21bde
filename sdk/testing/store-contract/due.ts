import assert from "node:assert/strict";
import { directMessage } from "../../messages/channel.ts";
import type { Store } from "../../store/store.ts";
import { claimed, LEASE, message, type Cases } from "./cases.ts";

/** Fails if `work` does not have the listener called soon. */
async function wakes({ lanes }: Store, work: () => Promise<unknown>): Promise<void> {
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const stop = lanes.onDue(resolve);
  await work();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("nobody was told that something fell due")), 45_000);
  try {
    await Promise.race([called, late.promise]);
  } finally {
    clearTimeout(timer);
    stop();
  }
}

export const dueCases: Cases = {
  "ST-01: CHA-07: who listens is told of all that this handle makes due": async ({ store }) => {
    const { lanes } = store;
    const told = { ...directMessage({ channel: "test", id: "n", from: "c", text: "" }), parts: [] };
    await wakes(store, () => lanes.accept([message("a", "1")]));
    await wakes(store, () => lanes.post({ message: told, reply: "told" }));
    for (const claim of await lanes.claim(2, LEASE)) {
      if (claim.isNotice) await lanes.ack(claim);
      else await lanes.retry(claim, { afterMs: LEASE, reason: "away", waitsFor: "model" });
    }
    await wakes(store, () => lanes.wake("model"));
    await lanes.deadLetter(await claimed(store), "poison");
    const [dead] = await lanes.page("dead", 1);
    await wakes(store, () => lanes.putBack(dead!.number));
    const hold = await lanes.hold("test:b", LEASE);
    await lanes.accept([message("b", "2")]);
    await wakes(store, () => lanes.release(hold!));
  },
  "CHA-07: who listens no more is not called": async ({ store: { lanes } }) => {
    let calls = 0;
    lanes.onDue(() => (calls += 1))();
    await lanes.accept([message("a", "1")]);
    await new Promise(setImmediate);
    assert.equal(calls, 0);
  },
};
