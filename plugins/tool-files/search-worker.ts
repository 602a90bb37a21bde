import { text } from "node:stream/consumers";
import { type LineTest, lineTest } from "./line-test.ts";
import { type Hits, searchText } from "./search-file.ts";
import type { Searched, ToSearch } from "./search-apart.ts";

/** Of all texts together, some of which may be closed to whoever asks. */
const MAX_HITS = 10_000;

const { texts, context, limit, ...wanted } = JSON.parse(await text(process.stdin)) as ToSearch;
const searched: Searched = await lineTest(wanted).then(
  (test) => ({ hits: hitsIn(test) }),
  (error: unknown) => ({ wrong: error instanceof Error ? error.message : String(error) }),
);
process.stdout.write(JSON.stringify(searched));

function hitsIn(test: LineTest): readonly Hits[] {
  let room = MAX_HITS;
  return texts.map((one) => {
    const hits = searchText(one, test, { context, limit: Math.min(limit, room) });
    room -= hits.blocks.length;
    return hits;
  });
}
