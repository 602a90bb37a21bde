import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { begin, place } from "./layers.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";
import { Judge } from "./view/judge.ts";

const LEVELS = 60;
const FILES = 20;
const NAMES = LEVELS * (FILES + 1);

afterEach(() => vi.restoreAllMocks());

test.runIf(linux)("RUN-02: work on a deep layer grows with its names, not with their square", () => {
  using here = place();
  const { id, upper } = begin(here);
  for (let level = 1; level <= LEVELS; level += 1) {
    const folder = path.join(upper, ...Array.from({ length: level }, () => "z"));
    mkdirSync(folder);
    for (let i = 0; i < FILES; i += 1) writeFileSync(path.join(folder, `f${i}`), "");
    if (level === LEVELS) execFileSync("mkfifo", [path.join(folder, "zz")]);
  }
  const refuse = vi.spyOn(Judge.prototype, "refuse");
  const split = vi.spyOn(String.prototype, "split");
  here.keeper.take(id);
  const [asked, parted] = [refuse.mock.calls.length, split.mock.calls.length];
  vi.restoreAllMocks();
  expect(asked).toBeLessThan(3 * NAMES);
  expect(parted).toBeLessThan(12 * NAMES);
});
