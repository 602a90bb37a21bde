import { isUtf8 } from "node:buffer";
import type { RunChange } from "@gantry/sdk/fill";
import { plainFileBytes } from "../../shared/plain-file.ts";
import { diffOf } from "../../shared/text-diff.ts";
import { Beneath } from "./beneath.ts";
import type { Shown } from "./held.ts";
import type { Plan, Put, Step } from "./step.ts";
import type { Left } from "./upper.ts";

/** What a question holds of one layer; a run chooses how much there is. */
const MOST_CHANGES = 200;
const MOST_TEXTS = 20;
const MOST_FILE_BYTES = 256 * 1024;
const MOST_DIFF = 64 * 1024;
/** What is lost or stays out is not to be hidden behind what is only more. */
const ORDER: readonly RunChange["change"][] = ["left out", "changed", "removed", "added"];
/** Comparing holds up the runs that begin meanwhile. */
const MOST_MS = 1_000;

interface Places {
  readonly workspace: string;
  readonly upper: string;
}

/** Tells what taking a layer over would do: each name with its size, and the texts line by line as far as there is room. */
export async function showLayer(
  { steps, kept }: Plan,
  left: readonly Left[],
  places: Places,
): Promise<Shown> {
  const found = new Map<string, Left>();
  const add = (one: Left): void => {
    found.set(one.at, one);
    one.children.forEach(add);
  };
  left.forEach(add);
  const all = [
    ...steps.flatMap((step) => changesOf(step, found.get(step.at))),
    ...kept.map(({ at, why }): RunChange => ({ path: at, change: "left out", why })),
  ];
  const changes = ORDER.flatMap((kind) => all.filter(({ change }) => change === kind));
  const diff = await diffsOf(changes, found, places);
  const shown = changes.slice(0, MOST_CHANGES);
  return { changes: shown, more: changes.length - shown.length, diff };
}

function changesOf(step: Step, one: Left | undefined): readonly RunChange[] {
  switch (step.do) {
    case "put":
      return one ? putOf(step, one) : [];
    case "remove":
      return [{ path: step.at, change: "removed" }];
    case "folder":
      return [{ path: `${step.at}/`, change: "added" }];
    case "mode":
      return [{ path: `${step.at}/`, change: "changed" }];
    case "link":
      return [{ path: step.at, change: "added" }];
  }
}

/** A folder is put in one step with all that lies in it. */
function putOf({ at, to, was }: Put, one: Left): readonly RunChange[] {
  const change = was ? "changed" : "added";
  const all = (there: Left): readonly RunChange[] => [
    changeOf(there, to + there.at.slice(at.length), change),
    ...there.children.flatMap(all),
  ];
  return all(one);
}

function changeOf({ kind, about }: Left, path: string, change: RunChange["change"]): RunChange {
  if (kind === "folder") return { path: `${path}/`, change };
  return { path, change, ...(kind === "file" && { bytes: Number(about.size) }) };
}

async function diffsOf(
  changes: readonly RunChange[],
  found: ReadonlyMap<string, Left>,
  { workspace, upper }: Places,
): Promise<string> {
  using below = new Beneath(workspace);
  using layer = new Beneath(upper);
  const until = performance.now() + MOST_MS;
  const diffs: string[] = [];
  let room = MOST_DIFF;
  for (const { path, change, bytes = Infinity } of changes) {
    if (performance.now() > until || diffs.length === MOST_TEXTS) break;
    if (bytes > MOST_FILE_BYTES || found.get(path)?.kind !== "file") continue;
    const after = textOf(layer, path);
    const before = change === "changed" ? textOf(below, path) : "";
    if (after === undefined || before === undefined) continue;
    const diff = await diffOf(path, before, after);
    if (diff === undefined || diff.length > room) continue;
    room -= diff.length;
    diffs.push(diff);
  }
  return diffs.join("\n");
}

/** Undefined for what is no text that can be compared. */
function textOf(beneath: Beneath, at: string): string | undefined {
  try {
    const bytes = plainFileBytes(beneath.name(at), MOST_FILE_BYTES + 1);
    const isText = bytes && bytes.length <= MOST_FILE_BYTES && !bytes.includes(0) && isUtf8(bytes);
    return isText ? bytes.toString() : undefined;
  } catch {
    return undefined;
  }
}
