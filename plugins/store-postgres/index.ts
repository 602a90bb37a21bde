import {
  Audit,
  Checks,
  Commands,
  definePlugin,
  Media,
  PromptParts,
  Runtime,
  Services,
  Store,
} from "@gantry/sdk";
import { recordPruned } from "../shared/record-pruned.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { layout } from "./layout/layout.ts";
import { apartText } from "./nodes.ts";
import { createStore } from "./store.ts";

const dayMs = 86_400_000;
const example = "postgres://gantry:${DB_PASSWORD}@localhost/gantry";

const words = (): Promise<typeof import("./commands.ts")> => import("./commands.ts");

export default definePlugin({
  name: "store-postgres",
  summary: "Everything that must survive a restart, in a PostgreSQL database that several nodes share.",
  table: "",
  config,
  needs: { audit: Audit, runtime: Runtime },
  provides: [Checks, Commands, Media, PromptParts, Services, Store],
  layout: layout.length,
  errors,
  setup(host) {
    const { memory, node, store: keys } = host.config;
    if (keys.url === undefined) throw errors.STORE_NO_URL(example);
    const { url, direct_url: directUrl, prepare, migrate } = keys;
    const opened = createStore({
      url,
      directUrl,
      prepare,
      migrate,
      name: node.name,
      log: host.log,
      version: host.needs.runtime.version,
      sharesWorkspace: node.shares_workspace,
    });
    const { db, nodes } = opened;
    host.provide(Store, opened.store);
    host.provide(Media, opened.media);
    host.onServe(async () => (await import("./await-database.ts")).awaitDatabase(db, host));
    host.provide(Services, {
      name: "node",
      always: true,
      async start() {
        await nodes.serve();
        const days = memory.session_retention_days;
        const { pruneHourly } = await import("./prune.ts");
        const told = recordPruned.bind(undefined, host);
        void pruneHourly(db, days === undefined ? days : days * dayMs, told, host.signal);
      },
      stop: async () => {},
    });
    host.provide(PromptParts, {
      name: "nodes",
      budget: apartText.length,
      text: () => (nodes.areApart ? apartText : undefined),
    });
    host.provide(Checks, {
      name: "store",
      kind: "ready",
      run: async () => (await import("./health.ts")).readyRows(db, nodes),
    });
    host.provide(Checks, {
      name: "store-nodes",
      kind: "status",
      run: async () => (await import("./health.ts")).nodeRows(db, node.shares_workspace),
    });
    host.provide(Checks, {
      name: "store-database",
      kind: "doctor",
      run: async () => (await import("./health.ts")).doctorRows(db),
    });
    host.provide(Commands, {
      name: "nodes list",
      summary: "the nodes that share the store, and which of them takes no new work",
      options: [{ flags: "--json", summary: "print JSON" }],
      run: async (run) => (await words()).listNodes(run, db),
    });
    host.provide(Commands, {
      name: "nodes drain",
      summary: "have a node take no new messages, and wait until it works on none",
      args: ["<name>"],
      run: async (run) => (await words()).drainNode(run, db),
    });
    host.provide(Commands, {
      name: "store migrate",
      summary: "bring the database to the layout of this release; nodes may go on meanwhile",
      run: async (run) => (await words()).migrateStore(run, db),
    });
    host.provide(Commands, {
      name: "store check",
      summary: "say what layout the database has, and what a failover could lose; changes nothing",
      run: async (run) => (await words()).checkStore(run, db),
    });
    host.onDispose(async () => {
      const why = "The conversations of this node stay held until the other nodes see that it is gone.";
      await opened.close().catch((error: unknown) => host.log.warn({ err: error }, why));
    });
  },
});
