import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type TestContext, expect, test } from "vitest";
import { linux, openToAll } from "./sandbox.test-kit.ts";

const NOBODY = 65_534;
const service = new URL("./viewed-service.test-kit.ts", import.meta.url).pathname;
const mayBeNobody = process.getuid?.() === 0 && openToAll();
const users = [undefined, ...(mayBeNobody ? [NOBODY] : [])];

type Came = Readonly<Record<string, { readonly skip?: string }>>;
const played = new Map<number | undefined, Promise<Came>>();

/** Plays all scenarios as a user. */
async function playAs(user: number | undefined): Promise<Came> {
  const argv = ["--conditions=gantry-source", service];
  const as =
    user === undefined ? {} : { uid: user, gid: user, env: { ...process.env, HOME: "/nonexistent" } };
  const { stdout } = await promisify(execFile)(process.execPath, argv, as);
  return JSON.parse(stdout) as Came;
}

/** Returns the result of a scenario; skips if the system has no namespaces or overlays for it. */
async function play(name: string, user: number | undefined, { skip }: TestContext): Promise<unknown> {
  if (!played.has(user)) played.set(user, playAs(user));
  const came = (await played.get(user)!)[name];
  if (came?.skip !== undefined) skip(came.skip);
  return came;
}

/**
 * Each claim holds for the user who runs the tests, and for an ordinary user if that can be tried.
 */
const claims: readonly (readonly [title: string, scenario: string, expected: unknown])[] = [
  [
    "RUN-01: what a command wrote is in the workspace once it has ended, not before",
    "becomesReal",
    {
      during: { old: "old" },
      after: { "a/": "", "a/b/": "", "a/c": "-> b", new: "new\n" },
      findings: [],
    },
  ],
  [
    "RUN-01: a run that was lost with its process left nothing",
    "lost",
    { run: "lost", after: { old: "old" }, left: [], next: "old" },
  ],
  [
    "RUN-02: what would lead out, start programs or run with others' rights is never taken over",
    "hostile",
    {
      said: false,
      changed: [".git/refs/tags/", "fine", "good", "lib/", "n/", "python", "s/", "suid"],
      lib: ["lib/.git/hooks/"],
      told: expect.arrayContaining([
        expect.stringContaining("lib/.git/config (security.guarded_files names it)"),
      ]),
      modes: [],
    },
  ],
  [
    "RUN-02: a secret saved anew during a run is not there for it",
    "savedAnew",
    { said: false, after: [".env"], env: "canary-new\ncanary-place\n" },
  ],
  [
    "RUN-03: of what the owner changed during a run nothing is lost",
    "conflict",
    {
      tree: {
        both: "was\nowner\n",
        "both.from-run-ID": "was\nrun\n",
        fresh: "owner\n",
        "fresh.from-run-ID": "new\n",
        "folder/": "",
        "folder/y": "owner\n",
        gone: "was\n",
        kept: "was\nowner\n",
        mine: "was\nrun\n",
        n: "n\n",
        "removed.from-run-ID": "was\nrun\n",
      },
      told: expect.arrayContaining([
        "both: it was changed meanwhile, so the owner's stays and the run's is both.from-run-ID",
      ]),
    },
  ],
  [
    "RUN-03: of two runs that change one file at once neither loses anything",
    "twoRuns",
    {
      seen: ["2\n", ""],
      tree: { file: "was\nsecond\n", "file.from-run-ID": "was\nfirst\n", one: "1\n", two: "2\n" },
      told: [["file: it was changed meanwhile, so the owner's stays and the run's is file.from-run-ID"], []],
    },
  ],
  [
    "RUN-05: runs undo takes back what a command changed, removed and added",
    "undo",
    {
      findings: [],
      wasChanged: true,
      shown: expect.arrayContaining(["added a", "changed g", "added n", "removed e/x", "removed l"]),
      isAsBefore: true,
      mode: "600",
    },
  ],
  [
    "RUN-02: what was not taken over is the owner's to take or drop",
    "takeAndDrop",
    {
      before: ["d/", "d/c"],
      taken: ["d/.envrc"],
      between: { "d/": "", "d/.envrc": "b\n", "d/c": "c\n" },
      left: [],
    },
  ],
  [
    "RUN-06: a command renames a folder of the owner's",
    "movesFolder",
    {
      stdout: "500\n",
      findings: [],
      after: { "b/": "", "b/closed/": "", "b/closed/in/": "", "b/closed/in/f": "1\n", "b/g": "2\n" },
    },
  ],
  [
    "RUN-07: paths beyond PATH_MAX and thousands of secret names lock no later command",
    "locksNothing",
    { exit: 0, next: ["ok", "300", "0"], findings: true },
  ],
];

for (const user of users) {
  const who = user === undefined ? "" : ", as an ordinary user";
  for (const [title, scenario, expected] of claims)
    test.runIf(linux)(`${title}${who}`, { timeout: 240_000 }, async (context) =>
      expect(await play(scenario, user, context)).toEqual(expected),
    );
}
