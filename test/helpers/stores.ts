import path from "node:path";
import { definePlugin, Store, type Plugin } from "@gantry/sdk";
import type { Lanes } from "@gantry/sdk/fill";
import { onTestFinished } from "vitest";
import { createStore } from "../../plugins/store-sqlite/store.ts";
import { tempDir } from "./temp-dir.ts";

/** The real store in a file that outlives the hosts that use it, and goes with the test. */
export interface StoreFile {
  readonly file: string;
  /** The test's own handle, as another process would have it. */
  readonly store: Store;
  /** For one host; some of its lanes' members may be replaced. */
  plugin(change?: (lanes: Lanes) => Partial<Lanes>): Plugin;
}

export function storeFile(): StoreFile {
  const home = tempDir();
  const file = path.join(home.dir, "gantry.db");
  const own = createStore(file);
  onTestFinished(async () => {
    await own.close();
    home[Symbol.dispose]();
  });
  return {
    file,
    store: own.store,
    plugin: (change = () => ({})) =>
      definePlugin({
        name: "store-changed",
        provides: [Store],
        setup(host) {
          const { store, close } = createStore(file);
          host.provide(Store, { ...store, lanes: { ...store.lanes, ...change(store.lanes) } });
          host.onDispose(close);
        },
      }),
  };
}
