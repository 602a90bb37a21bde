import { isUtf8 } from "node:buffer";
import { type Stats, lstatSync, readlinkSync } from "node:fs";
import type { RunChange } from "@gantry/sdk/fill";
import { shownName } from "@gantry/sdk/node";
import { plainFileBytes } from "../../shared/plain-file.ts";
import { diffOf } from "../../shared/text-diff.ts";
import { Beneath } from "./beneath.ts";
import type { Shown } from "./held.ts";
import type { Plan, Put, Step } from "./step.ts";
import type { Left } from "./upper.ts";

/** Bounds of what a question shows of one layer, since a run chooses how much there is. */
const MOST_CHANGES = 200;
const MOST_TEXTS = 20;
const MOST_FILE_BYTES = 256 * 1024;
const MOST_DIFF = 64 * 1024;
/** Losses come first, so that additions and what stays out cannot hide them. */
const ORDER: readonly RunChange["change"][] = ["changed", "removed", "added", "left out"];
/** Comparing holds up the runs that begin meanwhile. */
const MOST_MS = 1_000;
const NO_ROOM = "not compared, for want of room";
const MODE = 0o777;

interface Places {
  readonly workspace: string;
  readonly upper: string;
}

/**
 * Tells what taking a layer over would do: each name with its size, and the texts line by line as
 * far as there is room.
 */
export async function showLayer(
  { steps, kept }: Plan,
  left: readonly Left[],
  { workspace, upper }: Places,
): Promise<Shown> {
  using below = new Beneath(workspace);
  using layer = new Beneath(upper);
  const found = new Map<string, Left>();
  const add = (one: Left): void => {
    found.set(one.at, one);
    one.children.forEach(add);
  };
  left.forEach(add);
  const all = [
    ...steps.flatMap((step) => changesOf(step, found.get(step.at), below)),
    ...kept.map(({ at, why }): RunChange => ({ path: at, change: "left out", why })),
  ];
  const changes = ORDER.flatMap((kind) => all.filter(({ change }) => change === kind));
  const more: Partial<Record<RunChange["change"], number>> = {};
  for (const { change } of changes.slice(MOST_CHANGES)) more[change] = (more[change] ?? 0) + 1;
  const texts = new Texts(below, layer);
  const shown = [];
  for (const one of changes.slice(0, MOST_CHANGES)) {
    const isFile = one.change !== "left out" && found.get(one.path)?.kind === "file";
    shown.push(isFile ? noted(one, await texts.compare(one)) : one);
  }
  return { changes: shown, more, diff: texts.diffs.join("\n") };
}

/** Adds to what is said of a change. */
function noted(one: RunChange, ...notes: readonly (string | undefined)[]): RunChange {
  const all = [one.why, ...notes].filter((note) => note !== undefined);
  return all.length === 0 ? one : { ...one, why: all.join("; ") };
}

function changesOf(step: Step, one: Left | undefined, below: Beneath): readonly RunChange[] {
  const path = step.at;
  switch (step.do) {
    case "put":
      return one ? putOf(step, one, below) : [];
    case "remove":
      return lstatOf(below, path)?.isDirectory()
        ? [{ path: `${path}/`, change: "removed", why: "with all that is in it" }]
        : [{ path, change: "removed" }];
    case "folder":
      return [{ path: `${path}/`, change: "added" }];
    case "mode":
      return [{ path: `${path}/`, change: "changed", why: modes(step.was, step.mode) }];
  }
}

/** Returns the changes of a step: a folder is put in one step with all that lies in it. */
function putOf({ at, to, was }: Put, one: Left, below: Beneath): readonly RunChange[] {
  const before = was && lstatOf(below, at);
  const all = (there: Left): readonly RunChange[] => [
    changeOf(there, to + there.at.slice(at.length), was ? "changed" : "added"),
    ...there.children.flatMap(all),
  ];
  const [first, ...inner] = all(one);
  return [noted(first!, before && wasNote(one, before, below)), ...inner];
}

/** Says of something in place of which another thing is put what its name does not tell. */
function wasNote({ at, kind, about }: Left, before: Stats, below: Beneath): string | undefined {
  if (before.isSymbolicLink()) return `was a link -> ${shownName(readlinkSync(below.name(at)))}`;
  const [was, is] = [before.mode & MODE, Number(about.mode) & MODE];
  return kind === "file" && was !== is ? modes(was, is) : undefined;
}

const modes = (was: number, is: number): string => `mode ${was.toString(8)} -> ${is.toString(8)}`;

function changeOf(one: Left, path: string, change: RunChange["change"]): RunChange {
  const { kind, about, target = "" } = one;
  if (kind === "folder") return { path: `${path}/`, change };
  if (kind === "link") return { path, change, why: `-> ${shownName(target)}` };
  return { path, change, ...(kind === "file" && { bytes: Number(about.size) }) };
}

function lstatOf(beneath: Beneath, at: string): Stats | undefined {
  try {
    return lstatSync(beneath.name(at), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Compares texts as long as there is room and time. */
class Texts {
  readonly diffs: string[] = [];
  readonly #below: Beneath;
  readonly #layer: Beneath;
  readonly #until = performance.now() + MOST_MS;
  #room = MOST_DIFF;

  constructor(below: Beneath, layer: Beneath) {
    this.#below = below;
    this.#layer = layer;
  }

  /** Returns why the texts of a file are not shown; undefined if they are, or are the same. */
  async compare({ path, change, bytes = 0 }: RunChange): Promise<string | undefined> {
    if (bytes > MOST_FILE_BYTES) return "too large to compare";
    if (performance.now() > this.#until || this.diffs.length === MOST_TEXTS) return NO_ROOM;
    const before = change === "changed" ? bytesOf(this.#below, path) : Buffer.alloc(0);
    const after = bytesOf(this.#layer, path);
    if (!before || !after) return "not compared";
    if (before.length > MOST_FILE_BYTES) return "too large to compare";
    if (before.equals(after)) return undefined;
    if (!isText(before) || !isText(after)) return "not a text";
    const diff = await diffOf(shownName(path), before.toString(), after.toString());
    if (diff === undefined || diff.length > this.#room) return NO_ROOM;
    this.#room -= diff.length;
    this.diffs.push(diff);
    return undefined;
  }
}

const isText = (bytes: Buffer): boolean => !bytes.includes(0) && isUtf8(bytes);

/** Returns undefined if it is not a plain file. */
function bytesOf(beneath: Beneath, at: string): Buffer | undefined {
  try {
    return plainFileBytes(beneath.name(at), MOST_FILE_BYTES + 1);
  } catch {
    return undefined;
  }
}
