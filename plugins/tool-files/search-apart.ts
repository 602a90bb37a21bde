import { type ApartWork, workApart } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import type { Wanted } from "./line-test.ts";
import type { Hits } from "./search-file.ts";

const MEMORY_MB = 256;

/** What `search-worker.ts` is given. */
export interface ToSearch extends Wanted {
  readonly texts: readonly string[];
  readonly context: number;
  /** Of each text. */
  readonly limit: number;
}

/** What it makes of that: the hits of each text, or why the pattern is none. */
export type Searched = { readonly hits: readonly Hits[] } | { readonly wrong: string };

/**
 * The hits of each text, found outside of the service, since a pattern and a line can be chosen so that looking takes
 * minutes, in linear time too; undefined where that took more than it may.
 * Throws `SEARCH_BAD_PATTERN`, `SEARCH_LINES`, and the reason of the signal.
 * @param base - the `import.meta.url` of the index, beside which the worker stands
 */
export async function searchApart(
  base: string,
  asked: ToSearch,
  bounds: Pick<ApartWork, "signal" | "cpuSeconds">,
): Promise<readonly Hits[] | undefined> {
  const { pattern, literal } = asked;
  if (literal ? pattern.includes("\n") : /\n|(?<!\\)(?:\\\\)*\\n/.test(pattern))
    throw errors.SEARCH_LINES(pattern);
  const input = JSON.stringify(asked);
  const output = await workApart({ base, name: "search-worker", input, memoryMb: MEMORY_MB, ...bounds });
  if (output === undefined) return undefined;
  const searched = JSON.parse(output) as Searched;
  if ("wrong" in searched) throw errors.SEARCH_BAD_PATTERN(pattern, searched.wrong);
  return searched.hits;
}
