import { definePlugin, Store } from "@gantry/sdk";
import type { Sql } from "postgres";
import { Type } from "typebox";
import { createStore } from "./postgres-store.ts";

export default definePlugin({
  name: "store-postgres",
  summary: "Keeps everything in a PostgreSQL database that several nodes may share.",
  config: Type.Object({
    url: Type.String({
      default: "postgres://localhost/gantry",
      description: "The database; write its password as ${NAME} of an environment variable.",
    }),
  }),
  provides: [Store],
  setup(host) {
    const connections: Sql[] = [];
    const { store, close } = createStore(async () => {
      // Loaded with the first use: `gantry --help` needs no database.
      const { default: postgres } = await import("postgres");
      const sql = postgres(host.config.url, { max: 4, onnotice: () => {}, connect_timeout: 5 });
      connections.push(sql);
      return sql;
    });
    host.provide(Store, store);
    host.onDispose(async () => {
      await close().catch((error: unknown) =>
        host.log.warn({ error }, "the lanes of this node stay held for a while"),
      );
      for (const sql of connections) await sql.end({ timeout: 5 });
    });
  },
});
