import { existsSync, readdirSync, unlinkSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type { Head } from "./head.ts";

const DAY = 86_400_000;

/** A file of earlier records: all of one day (UTC), the first of them number `from`. */
export interface Segment {
  readonly path: string;
  readonly day: string;
  readonly from: number;
}

/** `audit.jsonl` becomes `audit.2026-01-31.000000000042.jsonl`. */
export function segmentPath(log: string, day: string, from: number): string {
  const extension = extname(log);
  return join(
    dirname(log),
    `${basename(log, extension)}.${day}.${String(from).padStart(12, "0")}${extension}`,
  );
}

/** Oldest first. */
export function segmentsOf(log: string): readonly Segment[] {
  const extension = extname(log);
  const stem = `${basename(log, extension)}.`;
  const found: Segment[] = [];
  for (const name of existsSync(dirname(log)) ? readdirSync(dirname(log)) : []) {
    if (!name.startsWith(stem) || !name.endsWith(extension)) continue;
    const [, day, from] =
      /^(\d{4}-\d\d-\d\d)\.(\d{12})$/.exec(name.slice(stem.length, name.length - extension.length)) ?? [];
    if (day && from) found.push({ path: join(dirname(log), name), day, from: Number(from) });
  }
  return found.toSorted((a, b) => a.from - b.from);
}

/**
 * Removes the files whose day is more than `days` ago. The head is saved first, so that a crash
 * leaves too much and no gap.
 */
export function removeOld(
  log: string,
  head: Head,
  days: number,
  now: number,
  save: (head: Head) => void,
): Head {
  const oldest = new Date(now - days * DAY).toISOString().slice(0, 10);
  const segments = segmentsOf(log);
  const kept = segments.findIndex(({ day }) => day >= oldest);
  const gone = kept < 0 ? segments : segments.slice(0, kept);
  if (gone.length === 0) return head;
  const next = { ...head, first: Math.max(head.first, segments[gone.length]?.from ?? head.from) };
  save(next);
  for (const { path } of gone) unlinkSync(path);
  return next;
}
