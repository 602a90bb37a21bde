import assert from "node:assert/strict";
import { claimed, message } from "./cases.ts";
import type { BreakableStore } from "./opened.ts";

/** The sentences that hold while a store cannot reach its data, and afterwards. */
export const failureCases: Readonly<Record<string, (opened: BreakableStore) => Promise<void>>> = {
  "ST-13: CHA-06: a call that may work later throws STORE_FAILED, and works once the store is back": async ({
    store,
    breaks,
  }) => {
    await store.lanes.accept([message("a", "1")]);
    const mend = await breaks();
    await assert.rejects(store.lanes.accept([message("a", "2")]), { code: "STORE_FAILED" });
    await mend();
    assert.deepEqual(await store.lanes.accept([message("a", "2")]), ["accepted"]);
    assert.equal((await claimed(store)).message.id, "1");
  },
  "CHA-06: a store that could not be reached at first is reached by a later call": async ({
    reopen,
    breaks,
  }) => {
    const mend = await breaks();
    const store = await reopen();
    for (const key of ["a", "b"])
      await assert.rejects(store.values.put("failures", key, 1), { code: "STORE_FAILED" });
    await mend();
    await store.values.put("failures", "a", 1);
    assert.equal(await store.values.get("failures", "a"), 1);
  },
};
