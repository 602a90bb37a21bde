import { errors } from "./errors.ts";
import { bundledPlugins, type Host } from "@gantry/host";

interface Named {
  readonly name: string;
}

/**
 * Throws what could not be read of a line, or which table is missing where its first word is only
 * known with that.
 */
export function orUnconfigured(
  first: string = "",
  words: readonly Named[],
  host: Host | undefined,
): (error: unknown) => Promise<never> {
  return async (error) => {
    if (words.some(({ name }) => name.split(" ")[0] === first)) throw error;
    const loaded = host?.options.plugins ?? [];
    for (const { name, tables } of await bundledPlugins()) {
      const table = tables.find((one) => one.split(".").at(-1) === first);
      if (table !== undefined && !loaded.some(({ plugin }) => plugin.name === name))
        throw errors.WORD_UNCONFIGURED(first, table, name);
    }
    throw error;
  };
}
