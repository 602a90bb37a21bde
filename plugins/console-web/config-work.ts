import type { Audit, ConfigFile } from "@gantry/sdk";
import { masked, maskedKeys, putsSecret, type Reloaded } from "@gantry/sdk/fill";
import type { Static } from "typebox";
import { personOf } from "../shared/may-read.ts";
import { errors } from "./errors.ts";
import type { changesBody, ConsoleWork } from "./routes.ts";

type Changes = Static<ReturnType<typeof changesBody>>;
type ConfigWork = Pick<ConsoleWork, "config" | "tryConfig" | "writeConfig" | "reload" | "reloaded">;

/** Returns what shows, tries and writes the configuration. */
export function configWork(file: ConfigFile, audit: Audit): ConfigWork {
  return {
    async config() {
      const schema = await file.schema();
      return { status: 200, body: { schema, values: valuesOf(file, schema) } };
    },
    async tryConfig(request) {
      const wanted = wantedOf(request.body as Changes);
      // Plugins that it names run: whatever they do then, it is known who began it.
      const args = { keys: Object.keys(wanted), values: maskedKeys(wanted) };
      const about = { user: personOf(request), session_id: "" };
      await audit.record({ event_type: "config_change", tool: "", args, result: "trial", ...about });
      await file.trial(wanted, async () => {});
      return { status: 200, body: { ok: true } };
    },
    async writeConfig(request) {
      const wanted = wantedOf(request.body as Changes);
      await file.set(wanted);
      return { status: 200, body: { written: Object.keys(wanted) } };
    },
    async reload() {
      beginReload(file);
      return { status: 202, body: lastReload };
    },
    reloaded: async () => ({ status: 200, body: lastReload }),
  };
}

type Reload =
  | { readonly state: "none" | "running" }
  | ({ readonly state: "done" } & Reloaded)
  | { readonly state: "failed"; readonly problem: string };

/** It outlives the plugin, which is set up again by the reload that it tells of. */
let lastReload: Reload = { state: "none" };

/** A gateway that is set up again waits for its requests, so none of them waits for the reload. */
function beginReload(file: ConfigFile): void {
  if (lastReload.state === "running") return;
  lastReload = { state: "running" };
  file.reload().then(
    (reloaded) => void (lastReload = { state: "done", ...reloaded }),
    (error: unknown) => void (lastReload = { state: "failed", problem: (error as Error).message }),
  );
}

/** Throws CONSOLE_SECRET_KEY. JSON knows no undefined, by which a key is taken out. */
function wantedOf({ changes: asked }: Changes): Readonly<Record<string, unknown>> {
  const secret = Object.entries(asked).find(([key, value]) => putsSecret(key, value));
  if (secret) throw errors.CONSOLE_SECRET_KEY(secret[0]);
  return Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, value ?? undefined]));
}

/** Returns the value of each key that the schema names, by its dotted name. */
function valuesOf(file: ConfigFile, schema: object): Readonly<Record<string, unknown>> {
  const entries = leavesOf(schema, "").map((key) => {
    const name = key.split(".").at(-1) ?? key;
    return [key, masked(name, file.get(key))] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

interface TableSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TableSchema>>;
}

function leavesOf({ properties }: TableSchema, above: string): readonly string[] {
  return Object.entries(properties ?? {}).flatMap(([name, child]) => {
    const key = above === "" ? name : `${above}.${name}`;
    return child.properties ? leavesOf(child, key) : [key];
  });
}
