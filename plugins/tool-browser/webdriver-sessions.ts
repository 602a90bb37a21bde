import { randomUUID } from "node:crypto";
import { readFile, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { ProcessLock, makeDir, replaceFile } from "@gantry/sdk/node";
import { LATE, type WebDriver } from "./webdriver.ts";

/** Session id -> address of the driver. */
type Open = Readonly<Record<string, string>>;

/**
 * Which sessions of drivers a process has open: a file for each process, beside a lock that it
 * holds, so that what a killed service left is ended by the next one, and what another process uses
 * is left alone.
 */
export class WebDriverSessions {
  readonly #folder: string;
  readonly #file: string;
  readonly #open = new Map<string, string>();
  #lock: ProcessLock | undefined;
  #written: Promise<void> = Promise.resolve();

  /** `folder` is made where it is not there. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#file = path.join(folder, `${randomUUID()}.json`);
  }

  remember(session: string, driver: string): Promise<void> {
    this.#open.set(session, driver);
    return this.#write();
  }

  forget(session: string): Promise<void> {
    this.#open.delete(session);
    return this.#write();
  }

  async close(): Promise<void> {
    await this.#written.catch(() => undefined);
    // Without it nothing was written.
    if (!this.#lock) return;
    if (this.#open.size === 0) await rm(this.#file, { force: true });
    await this.#lock.release();
  }

  /**
   * Ends what processes that are gone have left; a driver that does not answer keeps its sessions
   * for later.
   */
  async endLeft(driverAt: (address: string) => WebDriver): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith(".json"))) {
      const file = path.join(this.#folder, name);
      const lock = await lockOf(file).catch(() => undefined);
      if (!lock) continue;
      try {
        if (await endAll(file, driverAt)) await rm(file, { force: true });
      } finally {
        await lock.release();
      }
    }
  }

  /** One write after another. */
  #write(): Promise<void> {
    this.#written = this.#written
      .catch(() => undefined)
      .then(async () => {
        makeDir(this.#folder);
        this.#lock ??= await lockOf(this.#file);
        await replaceFile(this.#file, JSON.stringify(Object.fromEntries(this.#open)), { durable: false });
      });
    return this.#written;
  }
}

const lockOf = (file: string): Promise<ProcessLock> =>
  ProcessLock.take(`${file}.lock`, (pid) => new Error(`process ${pid} uses it`));

/** Returns false if a driver did not answer. */
async function endAll(file: string, driverAt: (address: string) => WebDriver): Promise<boolean> {
  const open = await readFile(file, "utf8").then(
    (text) => JSON.parse(text) as Open,
    () => ({}),
  );
  let isDone = true;
  for (const [session, address] of Object.entries(open)) {
    try {
      await driverAt(address).call("DELETE", `/session/${encodeURIComponent(session)}`);
    } catch (error) {
      // The driver's own word: it knows no such session any more.
      const { word = LATE } = error as { readonly word?: string };
      if (word === LATE) isDone = false;
    }
  }
  return isDone;
}
