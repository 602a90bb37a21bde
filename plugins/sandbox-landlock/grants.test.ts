import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { afterAll, expect, test } from "vitest";
import { expand, grants } from "./service/grants.ts";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "gantry-grants-")));
afterAll(() => rmSync(root, { recursive: true }));
const at = (name: string): string => path.join(root, name);
for (const name of ["config/workspace/sub", "config/sessions", "home/a/b/c", "home/d", "elsewhere"])
  mkdirSync(at(name), { recursive: true });
for (const name of ["config/config.toml", "home/a/file", "home/.netrc"]) writeFileSync(at(name), "");
symlinkSync(at("elsewhere"), at("home/link"));
symlinkSync(at("home/a"), at("alias"));

const places = { workspace: at("config/workspace"), configDir: at("config") };
const inside = (one: string, roots: readonly string[]): boolean => roots.some((each) => isInside(one, each));
const given = async (read: readonly string[], blocked: readonly string[], from = places) =>
  (await grants({ read, write: [], blocked, own: [], ...from })).read
    .filter((one) => isInside(one, root))
    .map((one) => path.relative(root, one))
    .toSorted();

test("SBX-01: ~ and $WORKSPACE are written out, links followed, relative paths lead from the workspace", async () => {
  expect(await expand("~/x/y", places.workspace)).toBe(path.join(realpathSync(homedir()), "x/y"));
  expect(await expand("$WORKSPACE/sub", places.workspace)).toBe(at("config/workspace/sub"));
  expect(await expand("$WORKSPACES", places.workspace)).toBe(at("config/workspace/$WORKSPACES"));
  expect(await expand("sub", places.workspace)).toBe(at("config/workspace/sub"));
  expect(await expand(at("alias/b"), places.workspace)).toBe(at("home/a/b"));
});

test("SEC-05: the workspace is granted although it lies in the configuration directory, of which nothing else is", async () => {
  expect(await given(["$WORKSPACE"], [])).toEqual(["config/workspace"]);
  expect(await given([at("config")], [])).toEqual([]);
  expect(await given([root], [])).toEqual(["elsewhere", "home"]);
  expect(await given(["$WORKSPACE"], [], { workspace: at("config"), configDir: at("config") })).toEqual([]);
});

test("SEC-05: a directory with something blocked beneath it is granted by its entries, links left out", async () => {
  expect(await given([at("home")], [at("home/a/b")])).toEqual(["home/.netrc", "home/a/file", "home/d"]);
  expect(await given([at("home")], [at("home/not-yet")])).toEqual(["home/.netrc", "home/a", "home/d"]);
  expect(await given([at("home/a/b")], [at("home/a")])).toEqual([]);
  expect(await given([at("home")], [at("alias")])).toEqual(["home/.netrc", "home/d"]);
});

test("SBX-10: a blocked link is blocked where it leads, although nothing is there yet", async () => {
  symlinkSync(at("home/later"), at("leads-nowhere-yet"));
  expect(await given([at("home")], [at("leads-nowhere-yet")])).not.toContain("home");
  mkdirSync(at("home/later"));
  expect(await given([at("home")], [at("leads-nowhere-yet")])).not.toContain("home/later");
  rmSync(at("home/later"), { recursive: true });
});

test("SBX-10: what runs as the service is never written, whatever is allowed", async () => {
  const own = [at("home/a/b"), at("config")];
  const { write } = await grants({ read: [], write: [root], blocked: [], own, ...places });
  expect(write.filter((one) => own.some((file) => isInside(file, one) || isInside(one, file)))).toEqual([]);
  expect(write).toContain(at("home/d"));
});

test("SEC-05: nothing granted is blocked or holds something blocked, whatever is allowed and blocked", async () => {
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
  await assert(
    asyncProperty(some, some, async (read, blocked) => {
      const granted = await grants({ read, write: read, blocked, own: [], ...places });
      for (const one of [...granted.read, ...granted.write].filter((each) => inside(each, [root]))) {
        for (const closed of await Promise.all(blocked.map((each) => expand(each, places.workspace)))) {
          const aroundWorkspace =
            closed !== places.workspace &&
            inside(places.workspace, [closed]) &&
            inside(one, [places.workspace]);
          expect(inside(closed, [one]) || (inside(one, [closed]) && !aroundWorkspace)).toBe(false);
        }
        expect(inside(one, [places.configDir]) && !inside(one, [places.workspace])).toBe(false);
      }
    }),
  );
});

test("SDK-17: a folder of the workspace is granted no more than the workspace, and nothing beside it", async () => {
  const names = constantFrom(
    ".",
    "config",
    "config/workspace",
    "config/workspace/sub",
    "home",
    "home/a",
    "alias",
  );
  const some = array(names.map(at), { maxLength: 4 });
  const within = at("config/workspace/sub");
  await assert(
    asyncProperty(some, some, async (given, blocked) => {
      const read = ["$WORKSPACE", ...given];
      const all = { read, write: read, own: [], ...places };
      const [whole, narrow] = [await grants({ ...all, blocked }), await grants({ ...all, blocked, within })];
      for (const one of narrow.read.filter((each) => inside(each, [root]))) {
        expect(inside(one, whole.read)).toBe(true);
        expect(inside(places.workspace, [one])).toBe(false);
        expect(inside(one, [places.workspace]) && !inside(one, [within])).toBe(false);
      }
      const isOpen = whole.read.includes(places.workspace) && !(await isBlocked(within, blocked));
      expect(narrow.write.includes(within) || !isOpen).toBe(true);
    }),
  );
});

async function isBlocked(folder: string, blocked: readonly string[]): Promise<boolean> {
  const closed = await Promise.all(blocked.map((each) => expand(each, places.workspace)));
  return closed.some((one) => inside(folder, [one]) && !inside(places.workspace, [one]));
}
