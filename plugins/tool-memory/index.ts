import { Agents, Audit, Checks, Commands, definePlugin, optional, OwnMemory } from "@gantry/sdk";
import type { CheckRow, Memory } from "@gantry/sdk";
import { asError, userOfTerminal } from "@gantry/sdk/node";
import { Services, Store, Tools } from "@gantry/sdk";
import { Type } from "typebox";
import { memoryCommands } from "./commands.ts";
import { errors } from "./errors.ts";
import { Retention } from "./retention.ts";
import { memoryTools, search } from "./tools.ts";

export default definePlugin({
  name: "tool-memory",
  summary:
    "memory_store, memory_recall, memory_forget; the words `memory list`, `show`, `edit`, `forget`, `prune` and `export`.",
  table: "",
  config: Type.Object({
    memory: Type.Object({
      retention_days: Type.Integer({
        default: 90,
        minimum: 1,
        maximum: 36_500,
        description: "Days after which a memory is deleted, where auto_delete_old_entries is true.",
      }),
      max_entries: Type.Integer({
        default: 10_000,
        minimum: 1,
        description:
          "Memories kept in all, of all users; the oldest of who has most make room, or storing fails where auto_delete_old_entries is false.",
      }),
      auto_delete_old_entries: Type.Boolean({
        default: false,
        description:
          "Delete memories that are too old or too many by itself. Without it `gantry memory prune --yes` does.",
      }),
    }),
  }),
  needs: { agents: optional(Agents), audit: Audit, store: Store, own: optional(OwnMemory) },
  provides: [Checks, Commands, Tools, Services],
  errors,
  setup(host) {
    const { agents, audit, store, own } = host.needs;
    const memory = own ?? store.memory;
    const { values } = store;
    const retention = new Retention({ memory, values, audit, log: host.log }, host.config.memory);
    for (const tool of memoryTools({ memory, retention, agents, values })) host.provide(Tools, tool);
    for (const command of memoryCommands(memory, retention, values)) host.provide(Commands, command);
    host.provide(Services, retention.service("memory-retention"));
    host.provide(Checks, { name: "memory-search", kind: "status", run: () => searchRows(memory) });
    for (const kind of ["status", "ready"] as const)
      host.provide(Checks, { name: `retention-${kind}`, kind, run: () => retention.rows() });
  },
});

/**
 * Returns a row if memories cannot be searched while the store works, whose own row tells when it
 * does not.
 */
async function searchRows(memory: Memory): Promise<readonly CheckRow[]> {
  try {
    await memory.count();
  } catch (error) {
    if (String((error as { readonly code?: unknown }).code).startsWith("STORE_")) return [];
  }
  try {
    await search(memory, userOfTerminal(), "search", 1);
    return [];
  } catch (error) {
    const cure = "Repair or restore what keeps them.";
    return [{ what: "memory", state: "fail", detail: asError(error).message, cure }];
  }
}
