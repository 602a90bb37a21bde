import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { makeDir, newProcessName, processLives } from "@gantry/sdk/node";
import { isSealed, unseal, type Unsealed } from "../shared/sealed-file.ts";
import { errors } from "./errors.ts";

/** The path that the person named, and the file that is read for it. */
export interface Source {
  readonly file: string;
  readonly kind: "backup" | "kept" | "aside";
}

const whyNot = {
  cut: "it was cut: bytes at its end are missing",
  changed: "bytes in it are not as they were written",
};

/**
 * Calls `use` with the path of what a backup holds in the clear: of an encrypted one a copy in the
 * state folder, which is gone afterwards. Throws BACKUP_LOCKED, BACKUP_PLAIN and
 * BACKUP_UNREADABLE.
 */
export async function withPlain<T>(
  { file, kind }: Source,
  configDir: string,
  use: (plain: string) => Promise<T>,
): Promise<T> {
  if (!existsSync(file)) return use(file);
  const passphrase = process.env["BACKUP_PASSPHRASE"];
  if (!(await isSealed(file))) {
    if (passphrase && kind === "backup") throw errors.BACKUP_PLAIN(file);
    return use(file);
  }
  if (!passphrase) throw errors.BACKUP_LOCKED(file, "no passphrase is given");
  const folder = path.join(configDir, "state");
  makeDir(folder);
  removeLeft(folder);
  const plain = path.join(folder, `unsealed-${newProcessName()}.tmp`);
  try {
    const outcome = await unseal(file, plain, passphrase).catch(refused(file));
    if (outcome !== "opened") throw refusal(file, outcome);
    return await use(plain);
  } finally {
    rmSync(plain, { force: true });
  }
}

function refusal(file: string, outcome: Exclude<Unsealed, "opened">): Error {
  if (outcome !== "other passphrase") return errors.BACKUP_UNREADABLE(file, whyNot[outcome]);
  const why = "the passphrase given is another one, or the first bytes of the file were changed";
  return errors.BACKUP_LOCKED(file, why);
}

function refused(file: string) {
  return (error: NodeJS.ErrnoException): never => {
    throw errors.BACKUP_UNREADABLE(file, error.code ?? error.message);
  };
}

/** Removes the copies of processes that were killed. */
function removeLeft(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, of] = /^unsealed-(.+)\.tmp$/.exec(name) ?? [];
    if (of !== undefined && !processLives(of)) rmSync(path.join(folder, name), { force: true });
  }
}
