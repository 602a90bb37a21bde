import { errors } from "./errors.ts";
import { isCheap, patterns } from "./ignore-rules.ts";

const MAX_ALTERNATIVES = 64;

export interface GlobTest {
  readonly written: string;
  fits(relative: string): boolean;
}

/**
 * A test of relative paths against a pattern as ignore files have them: without a slash it fits at
 * any depth, and `**` stands for any folders. `{a,b}` stands for either; a leading `!` turns it
 * round. Throws `SEARCH_BAD_GLOB`.
 */
export async function globTest(glob: string): Promise<GlobTest> {
  const not = glob.startsWith("!");
  const plain = glob.slice(not ? 1 : 0).replace(/^(\.\/)+/, "");
  const alternatives = expanded(plain);
  if (!alternatives || plain === "" || !alternatives.every(isCheap)) throw errors.SEARCH_BAD_GLOB(glob);
  const rules = await patterns(alternatives);
  return { written: glob, fits: (relative) => rules.test(relative).ignored !== not };
}

/** Returns each way to read the braces; undefined if there are too many. */
function expanded(glob: string): readonly string[] | undefined {
  const done: string[] = [];
  const open = [glob];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = /\{([^{}]*)\}/.exec(next);
    if (braces === null || !braces[1]!.includes(",")) {
      done.push(next);
      continue;
    }
    const [before, after] = [next.slice(0, braces.index), next.slice(braces.index + braces[0].length)];
    for (const one of braces[1]!.split(",")) open.push(before + one + after);
    if (open.length + done.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}
