import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { array, assert, constantFrom, property } from "fast-check";
import { afterAll, expect, test } from "vitest";
import { expand, grants } from "./grants.ts";
import { isBeneath } from "./roots.ts";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "gantry-grants-")));
afterAll(() => rmSync(root, { recursive: true }));
const at = (name: string): string => path.join(root, name);
for (const name of ["config/workspace/sub", "config/sessions", "home/a/b/c", "home/d", "elsewhere"])
  mkdirSync(at(name), { recursive: true });
for (const name of ["config/config.toml", "home/a/file", "home/.netrc"]) writeFileSync(at(name), "");
symlinkSync(at("elsewhere"), at("home/link"));
symlinkSync(at("home/a"), at("alias"));

const places = { workspace: at("config/workspace"), configDir: at("config") };
const given = (read: readonly string[], blocked: readonly string[], from = places) =>
  grants({ read, write: [], blocked, ...from })
    .read.filter((one) => isBeneath(one, [root]))
    .map((one) => path.relative(root, one))
    .toSorted();

test("SBX-01: ~ and $WORKSPACE are written out, links followed, relative paths lead from the workspace", () => {
  expect(expand("~/x/y", places.workspace)).toBe(path.join(realpathSync(homedir()), "x/y"));
  expect(expand("$WORKSPACE/sub", places.workspace)).toBe(at("config/workspace/sub"));
  expect(expand("$WORKSPACES", places.workspace)).toBe(at("config/workspace/$WORKSPACES"));
  expect(expand("sub", places.workspace)).toBe(at("config/workspace/sub"));
  expect(expand(at("alias/b"), places.workspace)).toBe(at("home/a/b"));
});

test("SEC-05: the workspace is granted although it lies in the configuration directory, of which nothing else is", () => {
  expect(given(["$WORKSPACE"], [])).toEqual(["config/workspace"]);
  expect(given([at("config")], [])).toEqual([]);
  expect(given([root], [])).toEqual(["elsewhere", "home"]);
  expect(given(["$WORKSPACE"], [], { workspace: at("config"), configDir: at("config") })).toEqual([]);
});

test("SEC-05: a directory with something blocked beneath it is granted by its entries, links left out", () => {
  expect(given([at("home")], [at("home/a/b")])).toEqual(["home/.netrc", "home/a/file", "home/d"]);
  expect(given([at("home")], [at("home/not-yet")])).toEqual(["home/.netrc", "home/a", "home/d"]);
  expect(given([at("home/a/b")], [at("home/a")])).toEqual([]);
  expect(given([at("home")], [at("alias")])).toEqual(["home/.netrc", "home/d"]);
});

test("SEC-05: nothing granted is blocked or holds something blocked, whatever is allowed and blocked", () => {
  const names = constantFrom(
    ".",
    "config",
    "config/workspace",
    "config/workspace/sub",
    "home",
    "home/a",
    "home/a/b",
    "home/a/b/c",
    "home/link",
    "alias",
    "elsewhere",
    "home/none",
  );
  const some = array(names.map(at), { maxLength: 4 });
  assert(
    property(some, some, (read, blocked) => {
      const granted = grants({ read, write: read, blocked, ...places });
      for (const one of [...granted.read, ...granted.write].filter((each) => isBeneath(each, [root]))) {
        for (const closed of blocked.map((each) => expand(each, places.workspace))) {
          const aroundWorkspace =
            closed !== places.workspace &&
            isBeneath(places.workspace, [closed]) &&
            isBeneath(one, [places.workspace]);
          expect(isBeneath(closed, [one]) || (isBeneath(one, [closed]) && !aroundWorkspace)).toBe(false);
        }
        expect(isBeneath(one, [places.configDir]) && !isBeneath(one, [places.workspace])).toBe(false);
      }
    }),
  );
});
