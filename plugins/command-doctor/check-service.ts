import { readFile } from "node:fs/promises";
import type { CheckRow, ConfigFile, Runtime } from "@gantry/sdk";
import { configHash, readRunning } from "@gantry/sdk/node";

/**
 * Returns the differences between the running service and this release and file; no row if none
 * runs.
 */
export async function checkService(
  { configDir, configFile, version }: Runtime,
  file: ConfigFile,
): Promise<readonly CheckRow[]> {
  const what = "service";
  const running = await readRunning(configDir);
  if (!running) return [];
  const since = `process ${running.pid}, since ${running.started}`;
  const rows: CheckRow[] = [];
  if (running.version !== version)
    rows.push({
      what,
      state: "warn",
      detail: `version ${running.version} still runs (${since}), and this is ${version}`,
      cure: "Restart it.",
    });
  const text = await readFile(configFile, "utf8").catch(() => undefined);
  const isOther = configHash(text) !== running.config;
  // A file that is gone has a row of its own, with another cure.
  const isGone = isOther && text === undefined;
  if (isOther && !isGone)
    rows.push({
      what,
      state: "warn",
      detail: `what runs (${since}) is not what ${configFile} says now, which is what these rows tell`,
      cure: "Run `gantry config reload`.",
      fix: {
        label: "Apply the file",
        // The service that applies it waits for its requests, of which this may be one.
        run: async () => void file.reload().catch(() => {}),
      },
    });
  if (running.restart.length > 0)
    rows.push({
      what,
      state: "warn",
      detail: `it has old values of ${running.restart.join(", ")} (${since})`,
      cure: "Restart it.",
    });
  if (rows.length > 0) return rows;
  const by = isGone ? "" : " by this configuration";
  return [{ what, state: "ok", detail: `version ${running.version} runs${by} (${since})` }];
}
