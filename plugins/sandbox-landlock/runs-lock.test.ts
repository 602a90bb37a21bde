import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { CommandContext } from "@gantry/sdk";
import { expect, test } from "vitest";
import { place } from "./layers.test-kit.ts";
import { linux, until } from "./sandbox.test-kit.ts";
import { runCommands } from "./view/commands.ts";
import { RunFolder } from "./view/run-folder.ts";
import { RunsLock } from "./view/runs-lock.ts";
import { Views } from "./view/views.ts";

/** Returns true while somebody waits for the lock of a folder. */
function isAwaited(folder: string): boolean {
  const waiting = readFileSync("/proc/locks", "utf8")
    .split("\n")
    .filter((line) => line.includes("->"));
  return waiting.some((line) => line.includes(`:${statSync(folder).ino} `));
}

test.runIf(linux)(
  "RUN-02: no two services make a repository by parts, of two runs that end at once",
  async () => {
    using here = place();
    const views = await Views.start(import.meta.url, here.facts);
    try {
      const id = await views.trial();
      const { upper } = RunFolder.find(here.runs, id)!;
      for (const name of ["lib", "lib/objects", "lib/refs"]) mkdirSync(path.join(upper, name));
      writeFileSync(path.join(upper, "lib/HEAD"), "ref: refs/heads/main\n");
      const other = new RunsLock(here.runs);
      const taking = views.take(id, undefined);
      await until(() => isAwaited(here.runs));
      // Steps of the other service, which were judged before.
      mkdirSync(path.join(here.workspace, "lib"));
      writeFileSync(path.join(here.workspace, "lib/config"), "[core]\n\tfsmonitor = evil\n");
      other.release();
      const { findings } = await taking;
      expect(findings.join("\n")).toContain("git would follow lib/config");
    } finally {
      await views.close();
    }
  },
);

test.runIf(linux)("RUN-05: runs undo waits for a run that is taken over, and holds up nobody", async () => {
  using here = place();
  const views = await Views.start(import.meta.url, here.facts);
  try {
    const id = await views.trial();
    writeFileSync(path.join(RunFolder.find(here.runs, id)!.upper, "new"), "new");
    let undone: unknown;
    const context = { args: [id], options: { json: true }, out: () => undefined };
    const commands = runCommands(here.runs, here.workspace, here.lists, undefined);
    const undo = commands.find(({ name }) => name === "runs undo");
    await views.take(id, async () => {
      undone = undo!.run(context as unknown as CommandContext);
      await turn();
    });
    expect(await undone).toBe(0);
    expect(readdirSync(here.workspace)).toEqual([]);
  } finally {
    await views.close();
  }
});

test.runIf(linux)(
  "FLR-04: what a run wrote is noted before it is in the workspace, or stays out",
  async () => {
    using here = place();
    const views = await Views.start(import.meta.url, here.facts);
    const full = path.join(here.workspace, "page.md");
    const take = async (noted: (files: readonly string[]) => Promise<void>): Promise<unknown> => {
      const id = await views.trial();
      writeFileSync(path.join(RunFolder.find(here.runs, id)!.upper, "page.md"), "page");
      return views.take(id, noted);
    };
    const isThere = (): boolean => statSync(full, { throwIfNoEntry: false }) !== undefined;
    try {
      const refused = take(() => Promise.reject(new Error("the store is full")));
      await expect(refused).rejects.toThrow("the store is full");
      expect([isThere(), RunFolder.all(here.runs)]).toEqual([false, []]);
      const seen: unknown[] = [];
      await take(async (files) => void seen.push(files, isThere()));
      expect([...seen, isThere()]).toEqual([[full], false, true]);
    } finally {
      await views.close();
    }
  },
);
