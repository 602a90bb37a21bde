import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { folderHashes } from "@gantry/sdk/node";
import { acceptedFolder } from "./accepted.ts";
import { digestOf } from "./digest.ts";

/** Returns where the package of a server is installed, if it has one. */
export function packageFolder(configDir: string, name: string): string {
  return path.join(acceptedFolder(configDir), name);
}

/** Returns false if there was none. */
export async function removePackage(configDir: string, name: string): Promise<boolean> {
  return rm(packageFolder(configDir, name), { recursive: true }).then(
    () => true,
    () => false,
  );
}

/** The files of a server that was installed here. */
export class InstalledPackage {
  readonly #folder: string;
  #known: { readonly stamp: string; readonly digest: Promise<string> } | undefined;

  constructor(configDir: string, name: string) {
    this.#folder = packageFolder(configDir, name);
  }

  /** Returns its folder, or undefined if there is none. */
  async folder(): Promise<string | undefined> {
    return (await this.#stamp()) === undefined ? undefined : this.#folder;
  }

  /**
   * Returns the SHA-256 of all its files, or undefined if nothing is installed. They are thousands:
   * with `isRunning`, which has read them, only another installation is seen.
   */
  async digest(isRunning: boolean): Promise<string | undefined> {
    const stamp = await this.#stamp();
    if (stamp === undefined) return undefined;
    if (isRunning && this.#known?.stamp === stamp) return this.#known.digest;
    const digest = folderHashes(this.#folder).then((files) => digestOf(Object.fromEntries(files)));
    this.#known = { stamp, digest };
    return digest;
  }

  async #stamp(): Promise<string | undefined> {
    const found = await stat(this.#folder, { bigint: true }).catch(() => undefined);
    return found?.isDirectory() === true ? [found.dev, found.ino, found.ctimeNs].join() : undefined;
  }
}
