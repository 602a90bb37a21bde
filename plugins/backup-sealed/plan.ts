import path from "node:path";
import { cronDue, everyDue, lengthOf, type NextDue } from "../shared/due.ts";
import { expandHome } from "@gantry/sdk/node";
import type { BackupConfig } from "./config.ts";
import { errors } from "./errors.ts";

/** The table `[backup]`, checked. */
export interface Plan {
  readonly folder: string;
  readonly keep: number;
  readonly passphrase: string;
  readonly next: NextDue;
}

/** Throws BACKUP_WHEN, BACKUP_CRON and BACKUP_LACKS. */
export async function planOf(config: BackupConfig, configDir: string): Promise<Plan> {
  const { folder, keep, passphrase } = config;
  if (folder === undefined) throw errors.BACKUP_LACKS("folder", 'folder = "/mnt/backups"');
  if (passphrase === undefined)
    throw errors.BACKUP_LACKS("passphrase", 'passphrase = "${BACKUP_PASSPHRASE}"');
  return {
    folder: path.resolve(configDir, expandHome(folder)),
    keep,
    passphrase,
    next: await nextOf(config),
  };
}

async function nextOf({ cron, every }: BackupConfig): Promise<NextDue> {
  if ((cron === undefined) === (every === undefined))
    throw errors.BACKUP_WHEN(cron === undefined ? "none" : "both");
  if (cron === undefined) return everyDue(lengthOf(every ?? "") ?? 0, 0);
  try {
    return await cronDue(cron);
  } catch (error) {
    throw errors.BACKUP_CRON(cron, (error as Error).message);
  }
}
