import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

interface Context {
  resolve(
    source: string,
    importer: string | undefined,
    options: { skipSelf: boolean },
  ): Promise<{ readonly id: string } | null>;
}

/** The place where each package of a version was found first, by `name@version`. */
const first = new Map<string, string>();

/**
 * A plugin for the bundler: where npm has put the same version of a package into several folders,
 * one of them is built in.
 */
export const oneCopy = {
  name: "one-copy",
  async resolveId(
    this: Context,
    source: string,
    importer: string | undefined,
  ): Promise<{ id: string } | undefined> {
    if (/^[./\0]|^node:/.test(source) || importer === undefined) return undefined;
    const found = await this.resolve(source, importer, { skipSelf: true });
    const folder = found && /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(found.id)?.[0];
    const facts = folder ? path.join(folder, "package.json") : "";
    if (!found || !folder || !existsSync(facts)) return undefined;
    const { name, version } = JSON.parse(readFileSync(facts, "utf8")) as { name: string; version: string };
    const kept = first.get(`${name}@${version}`) ?? folder;
    first.set(`${name}@${version}`, kept);
    return kept === folder ? undefined : { id: kept + found.id.slice(folder.length) };
  },
};
