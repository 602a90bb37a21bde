import path from "node:path";
import { definePlugin, Runtime, Store } from "@gantry/sdk";
import { createStore, type Database } from "./postgres-store.ts";

/** Opened with the first use, since it takes a second that `gantry --help` should not wait for. */
function opening(folder: string, close: (stop: () => Promise<void>) => void): () => Promise<Database> {
  let database: Promise<Database> | undefined;
  const open = async (): Promise<Database> => {
    const { PGlite } = await import("@electric-sql/pglite");
    const opened = await PGlite.create(folder);
    close(() => opened.close());
    return opened;
  };
  return () => (database ??= open());
}

export default definePlugin({
  name: "store-postgres",
  summary: "Keeps everything in PostgreSQL: here one that runs in this process; a server does as well.",
  needs: { runtime: Runtime },
  provides: [Store],
  setup(host) {
    const folder = path.join(host.needs.runtime.configDir, "postgres");
    const opened: (() => Promise<void>)[] = [];
    const { store, close } = createStore(opening(folder, (stop) => void opened.push(stop)));
    host.provide(Store, store);
    host.onDispose(async () => {
      await close();
      for (const stop of opened) await stop();
    });
  },
});
