import { chmodSync, linkSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { secretFiles, fileNames } from "@gantry/sdk/node";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { linux } from "./sandbox.test-kit.ts";
import { FolderWatch } from "./workspace/folder-watch.ts";
import { type Found, WorkspaceWalk } from "./workspace/workspace-walk.ts";

/** A workspace that is looked at again and again. */
class Place implements Disposable {
  readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "gantry-watched-")));
  readonly watch = FolderWatch.of(this.root)!;
  readonly walk = this.#walk(this.watch);

  /** Returns what a look at every folder finds. */
  all(): Found {
    return sorted(this.#walk().find());
  }

  #walk(watch?: FolderWatch): WorkspaceWalk {
    const wanted = { secret: secretFiles([".env"]), guarded: fileNames([".envrc", ".git/config"]) };
    const owner = { home: "/", settings: [], files: [] };
    return new WorkspaceWalk({ root: this.root, wanted, owner, open: [""], watch });
  }

  [Symbol.dispose](): void {
    this.watch[Symbol.dispose]();
    rmSync(this.root, { recursive: true });
  }
}

const sorted = ({ secret, guarded }: Found): Found => ({
  secret: secret.toSorted(),
  guarded: guarded.toSorted(),
});

const name = fc.constantFrom("a", "b", "c", ".env", ".envrc", ".git", "config", "HEAD", "objects", "refs");
const at = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const act = fc.oneof(
  fc.record({ do: fc.constantFrom("write", "mkdir", "remove", "close"), at }),
  fc.record({ do: fc.constantFrom("rename", "link", "symlink"), at, to: at }),
  fc.record({ do: fc.constant("look"), at }),
);

/** Does what somebody does in the workspace, if it can be done. */
function perform(
  root: string,
  one: { readonly do: string; readonly at: string; readonly to?: string },
): void {
  const [from, to] = [path.join(root, one.at), path.join(root, one.to ?? "x")];
  try {
    if (one.do === "write") writeFileSync(from, "x");
    else if (one.do === "mkdir") mkdirSync(from, { recursive: true });
    else if (one.do === "remove") rmSync(from, { recursive: true });
    else if (one.do === "close") chmodSync(from, 0o700);
    else if (one.do === "rename") renameSync(from, to);
    else if (one.do === "link") linkSync(from, to);
    else if (one.do === "symlink") symlinkSync(from, to);
  } catch {
    // Nothing is there, or something else.
  }
}

test.runIf(linux)("RUN-07: a look at what changed finds what a look at every folder finds", () => {
  fc.assert(
    fc.property(fc.array(act, { minLength: 1, maxLength: 30 }), (acts) => {
      using here = new Place();
      const missed: string[] = [];
      for (const one of [...acts, { do: "look", at: "" }]) {
        if (one.do !== "look") perform(here.root, one);
        else
          for (let time = 0; time < 3; time++) {
            const found = sorted(here.walk.find());
            const all = here.all();
            // What was secret once stays so under whatever name, which a new look cannot know.
            missed.push(...all.secret.filter((each) => !found.secret.includes(each)));
            missed.push(...all.guarded.filter((each) => !found.guarded.includes(each)));
          }
      }
      expect(missed).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test.runIf(linux)("RUN-07: where nothing changed no folder is looked at", () => {
  using here = new Place();
  mkdirSync(path.join(here.root, "a/b/c"), { recursive: true });
  writeFileSync(path.join(here.root, "a/b/.env"), "x");
  for (let time = 0; time < 3; time++) here.walk.find();
  const found = here.walk.find();
  expect(here.walk.find()).toBe(found);
  writeFileSync(path.join(here.root, "a/b/c/.env"), "x");
  expect(here.walk.find().secret.toSorted()).toEqual(["a/b/.env", "a/b/c/.env"]);
});

test.runIf(linux)("RUN-07: another folder in the workspace's place is looked at", () => {
  using here = new Place();
  for (let time = 0; time < 3; time++) here.walk.find();
  mkdirSync(`${here.root}-other`);
  writeFileSync(`${here.root}-other/.env`, "x");
  rmSync(here.root, { recursive: true });
  renameSync(`${here.root}-other`, here.root);
  expect(here.walk.find().secret).toEqual([".env"]);
});

test.runIf(linux)("RUN-07: a link that leads to itself keeps nobody from looking", () => {
  using here = new Place();
  symlinkSync(".git", path.join(here.root, ".git"));
  expect(here.walk.find().guarded).toEqual([".git"]);
});
