import { readdir, statfs } from "node:fs/promises";
import type { ModelRouter } from "@gantry/sdk/fill";
import type { Runtime, Store } from "@gantry/sdk";
import { labelText } from "./counters.ts";

export interface Watched {
  readonly router: ModelRouter | undefined;
  readonly runtime: Runtime;
  readonly store: Store | undefined;
}

type Gauge = readonly [name: string, value: number | undefined, labels?: Readonly<Record<string, string>>];

/**
 * Returns the state of the service right now. A value that cannot be read is left out, so that the
 * rest is still told.
 */
export async function gaugeLines(watched: Watched): Promise<readonly string[]> {
  const { router, runtime } = watched;
  const gauges: Gauge[] = [
    ["info", 1, { version: runtime.version }],
    ["uptime_seconds", Math.floor(process.uptime())],
    ["plugins_failed", runtime.plugins.filter(({ state }) => state === "failed").length],
    ...(router?.cooling() ?? []).map(({ provider }): Gauge => ["provider_left_alone", 1, { provider }]),
    ...(await waiting(watched)),
    ["disk_free_bytes", await freeBytes(runtime.configDir)],
    ["resident_memory_bytes", process.memoryUsage.rss()],
    ["cpu_seconds", cpuSeconds()],
    ["open_files", await openFiles()],
  ];
  const known = gauges.filter(([, value]) => value !== undefined);
  const names = new Set(known.map(([name]) => name));
  return [...names].flatMap((name) => [
    `# TYPE gantry_${name} gauge`,
    ...known
      .filter(([other]) => other === name)
      .map(([, value, labels = {}]) => `gantry_${name}${labelText(labels)} ${value}`),
  ]);
}

/** Nothing of the store's own numbers where it fails; `store_up` says so. */
async function waiting({ store }: Watched): Promise<readonly Gauge[]> {
  if (!store) return [];
  try {
    const { waiting: messages, running, deadLetters } = await store.lanes.stats();
    return [
      ["store_up", 1],
      ["messages_waiting", messages],
      ["messages_running", running],
      ["dead_letters", deadLetters],
    ];
  } catch {
    return [["store_up", 0]];
  }
}

async function freeBytes(folder: string): Promise<number | undefined> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function openFiles(): Promise<number | undefined> {
  return readdir("/proc/self/fd").then(
    ({ length }) => length,
    () => undefined,
  );
}
