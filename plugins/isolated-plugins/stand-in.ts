import { Checks, definePlugin, type Plugin, Runtime, Sandbox } from "@gantry/sdk";
import { type Facts, ownKeysOf, passingOf, type Place } from "./facts.ts";
import { type Bounds, BOUNDS, Isolated } from "./isolated.ts";

export interface StandInOptions extends Place {
  /** The `import.meta.url` of the index of this plugin. */
  readonly base: string;
  readonly bounds?: Partial<Bounds>;
}

/**
 * Returns what stands in the service for a plugin that runs in a walled process of its own: its
 * facts, and answers that come from there. Throws `ISOLATED_*`.
 */
export function standIn(facts: Facts, { base, bounds, ...place }: StandInOptions): Plugin {
  const { name, taps, enforces } = facts;
  // The build wrote the facts of a bundled plugin; a package is believed for its own table alone.
  const isBundled = place.folder === undefined;
  const config = isBundled ? facts.config : ownKeysOf(facts);
  const { needs, provides } = passingOf(facts);
  return definePlugin({
    name,
    summary: "Runs in a walled process of its own.",
    ...(isBundled && { table: "" }),
    ...(config && { config }),
    needs: { ...needs, sandbox: Sandbox, runtime: Runtime },
    provides: provides.some(({ id }) => id === Checks.id) ? provides : [...provides, Checks],
    taps,
    enforces,
    async setup(host) {
      const isolated = new Isolated(host, host.needs, {
        place,
        config: isBundled ? host.config : { plugins_config: { [name]: host.config } },
        needs: facts.needs,
        base,
        bounds: { ...BOUNDS, ...bounds },
      });
      host.onDispose(() => isolated.stop());
      for (const kind of ["status", "doctor"] as const)
        host.provide(Checks, { name: `isolated-${name}-${kind}`, kind, run: async () => isolated.rows() });
      await isolated.start();
    },
  });
}
