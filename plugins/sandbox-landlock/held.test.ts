import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { processIdentity, shortHash } from "@gantry/sdk/node";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Place, begin, place, prepare } from "./layers.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";
import { printOf } from "./view/held.ts";
import { Keeper } from "./view/keeper.ts";
import { RunFolder } from "./view/run-folder.ts";
import { readLayer } from "./view/upper.ts";
import { treeOf } from "./view.test-kit.ts";

const result = { exitCode: 0, signal: null, stdout: "said", stderr: "", droppedBytes: 0, timedOut: false };
const key = "call";

/** Holds a run that left a file. */
async function hold(here: Place, forMs = 60_000, under = key): Promise<string> {
  const { id, upper } = begin(here);
  writeFileSync(path.join(upper, "new"), "new\n");
  expect(await here.keeper.hold(id, result, { key: under, forMs })).toHaveProperty("id", id);
  return id;
}

/** Has the service that began a run be one that was killed. */
function orphan({ runs }: Place, id: string): void {
  const folder = RunFolder.find(runs, id)!;
  folder.write({ ...folder.read()!, service: "1-gone" });
}

test.runIf(linux)(
  "RUN-04: a service that was killed leaves a held run to the next, as it was shown",
  async () => {
    using here = place();
    const id = await hold(here);
    orphan(here, id);
    const next = new Keeper(here.facts);
    expect(next.recover()).toEqual([]);
    const found = next.held(key);
    expect(found).toMatchObject({ id, result, changes: [{ path: "new", change: "added" }] });
    expect(next.held("other call")).toBeUndefined();
    expect([next.take(id).findings, treeOf(here.workspace)]).toEqual([[], { new: "new\n" }]);
  },
);

test.runIf(linux)("RUN-04: once nobody may decide any more, nothing of a held run is left", async () => {
  using here = place();
  const id = await hold(here, -1);
  orphan(here, id);
  new Keeper(here.facts).recover();
  const other = await hold(here, -1);
  expect(here.keeper.sweep()).toBe(undefined);
  expect(() => here.keeper.take(other)).toThrow("not held any more");
  expect([readdirSync(here.runs), treeOf(here.workspace)]).toEqual([[], {}]);
});

test.runIf(linux)(
  "RUN-04: a service leaves alone what another one holds, and what is still to be decided",
  async () => {
    using here = place();
    const id = await hold(here);
    expect(here.keeper.sweep()).toBeGreaterThan(0);
    const folder = RunFolder.find(here.runs, id)!;
    folder.write({
      ...folder.read()!,
      service: `${process.ppid}-${shortHash(processIdentity(process.ppid))}`,
    });
    expect(here.keeper.held(key)).toBeUndefined();
    here.keeper.recover();
    expect(readdirSync(here.runs)).toEqual([id]);
  },
);

test.runIf(linux)("RUN-04: of two equal calls at once each has the run that it was shown", async () => {
  using here = place();
  const one = await hold(here);
  expect(here.keeper.held(key)).toBeUndefined();
  const other = await hold(here);
  here.keeper.drop(one);
  expect([here.keeper.take(other).findings, treeOf(here.workspace)]).toEqual([[], { new: "new\n" }]);
});

test.runIf(linux)(
  "RUN-04: of sixteen runs that wait one more is not held, until one is decided",
  async () => {
    using here = place();
    const ids = [];
    for (let i = 0; i < 16; i++) ids.push(await hold(here, 60_000, `call ${i}`));
    expect(here.keeper.held(key)).toEqual({ untried: "16 commands wait for a decision already" });
    here.keeper.drop(ids[3]!);
    expect(here.keeper.held(key)).toBeUndefined();
  },
);

test.runIf(linux)("RUN-04: of more runs that end at once no more than sixteen are held", async () => {
  using here = place();
  const begun = Array.from({ length: 24 }, () => begin(here));
  for (const { upper } of begun) writeFileSync(path.join(upper, "new"), "new\n");
  const said = await Promise.all(
    begun.map(({ id }, i) => here.keeper.hold(id, result, { key: `call ${i}`, forMs: 60_000 })),
  );
  expect(said.filter((one) => "changes" in one)).toHaveLength(16);
  const full = { untried: "16 commands wait for a decision already" };
  expect(said.filter((one) => "untried" in one)).toEqual(Array.from({ length: 8 }, () => full));
  expect(readdirSync(here.runs)).toHaveLength(16);
});

test.runIf(linux)(
  "RUN-04: links, modes, folders and texts not compared are told of each change",
  async () => {
    using here = place();
    mkdirSync(path.join(here.workspace, "gone"));
    writeFileSync(path.join(here.workspace, "f"), "");
    chmodSync(path.join(here.workspace, "f"), 0o644);
    prepare(here);
    const { id, upper } = begin(here);
    writeFileSync(path.join(upper, "f"), "was f");
    chmodSync(path.join(upper, "f"), 0o755);
    writeFileSync(path.join(upper, "g"), "x".repeat(300_000));
    symlinkSync("f", path.join(upper, "link"));
    execFileSync("mknod", [path.join(upper, "gone"), "c", "0", "0"]);
    const said = await here.keeper.hold(id, result, { key, forMs: 60_000 });
    const { changes = [], diff } = "changes" in said ? said : {};
    expect(changes.map((one) => [one.path, one.change, one.why])).toEqual([
      ["f", "changed", "mode 644 -> 755"],
      ["g", "changed", "too large to compare"],
      ["gone/", "removed", "with all that is in it"],
      ["link", "added", "-> f"],
    ]);
    expect(diff).toBe("");
  },
);

test.runIf(linux)("RUN-04: what is too large to be held is thrown away at once", async () => {
  using here = place();
  const keeper = new Keeper({ ...here.facts, mostHeldBytes: 100_000 });
  const small = begin({ ...here, keeper });
  writeFileSync(path.join(small.upper, "small"), "x".repeat(50_000));
  expect(await keeper.hold(small.id, result, { key, forMs: 60_000 })).toHaveProperty("key");
  const large = begin({ ...here, keeper });
  writeFileSync(path.join(large.upper, "large"), "x".repeat(50_000));
  const said = await keeper.hold(large.id, result, { key: "other", forMs: 60_000 });
  expect(said).toEqual({ untried: expect.stringContaining("too large") });
  expect(readdirSync(here.runs)).toEqual([small.id]);
});

test.runIf(linux)(
  "RUN-04: what would not be taken over is shown as left out, and texts alone line by line",
  async () => {
    using here = place();
    prepare(here);
    const { id, upper } = begin(here);
    mkdirSync(path.join(upper, "d"));
    writeFileSync(path.join(upper, "f"), "is f");
    writeFileSync(path.join(upper, ".env"), "KEY=x");
    writeFileSync(path.join(upper, "binary"), Buffer.from([0, 1, 2]));
    symlinkSync("/etc/shadow", path.join(upper, "d/out"));
    const said = await here.keeper.hold(id, result, { key, forMs: 60_000 });
    const { changes = [], diff = "" } = "changes" in said ? said : {};
    expect(changes.map((one) => [one.path, one.change, one.bytes])).toEqual(
      expect.arrayContaining([
        ["f", "changed", 4],
        ["binary", "added", 3],
        [".env", "left out", undefined],
        ["d/out", "left out", undefined],
      ]),
    );
    expect(diff).toBe(
      "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-was f\n\\ No newline at end of file\n+is f\n\\ No newline at end of file",
    );
  },
);

test.runIf(linux)("RUN-04: whatever somebody does in a layer changes its print", () => {
  const name = fc.constantFrom("a", "b", "d/c");
  const act = fc.record({ name, text: fc.constantFrom("x", "y", "") });
  fc.assert(
    fc.property(fc.array(act, { minLength: 1, maxLength: 4 }), (acts) => {
      using here = place();
      const { id, upper } = begin(here);
      mkdirSync(path.join(upper, "d"));
      for (const one of ["a", "d/c"]) writeFileSync(path.join(upper, one), "x");
      const before = printOf(readLayer(upper));
      expect(printOf(readLayer(upper))).toBe(before);
      RunFolder.find(here.runs, id)!.after();
      for (const one of acts) writeFileSync(path.join(upper, one.name), one.text);
      expect(printOf(readLayer(upper))).not.toBe(before);
    }),
    { numRuns: 50 },
  );
});
