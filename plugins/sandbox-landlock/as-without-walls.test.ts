import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, expect, test } from "vitest";
import { type KitOptions, type SandboxKit, linux, startSandbox } from "./sandbox.test-kit.ts";
import { git } from "./repositories.test-kit.ts";
import { sh, treeOf } from "./view.test-kit.ts";

const bounds = {
  max_memory_mb: 2_048,
  max_processes: 256,
  max_file_mb: 512,
  max_disk_mb: 2_048,
  max_workspace_mb: 4_096,
};

/** Starts a sandbox whose runs have views; skips if there can be none. */
async function viewed({ skip }: TestContext, options: KitOptions): Promise<SandboxKit> {
  const kit = await startSandbox({ bounds, runs: "view", ...options });
  const { noNamespaces, noViews } = kit.confinement.layers ?? {};
  const why = noNamespaces ?? noViews;
  if (why === undefined) return kit;
  await kit[Symbol.asyncDispose]();
  return skip(why);
}

/** Runs a command, which must end well and leave nothing in its layer. Returns its output. */
async function well(kit: SandboxKit, command: string): Promise<string> {
  const { exitCode, stdout, stderr, findings } = await kit.run(command, { timeoutMs: 120_000 });
  expect({ exitCode, findings }, `${stdout}\n${stderr}`).toEqual({ exitCode: 0, findings: [] });
  return stdout;
}

/** Makes what a script makes in the workspace. */
const madeBy =
  (script: string) =>
  (at: string): void =>
    void execFileSync("/bin/bash", ["-c", script], { cwd: at });

/** Makes a repository `repo` with commits on two branches, and files in folders. */
function repository(workspace: string): void {
  const repo = path.join(workspace, "repo");
  mkdirSync(path.join(repo, "d/e"), { recursive: true });
  git(workspace, "init", "-q", "-b", "main", "repo");
  const commit = (name: string): void => {
    writeFileSync(path.join(repo, name), name);
    git(repo, "add", "-A");
    git(repo, "commit", "-qm", name);
  };
  for (const name of ["d/one", "d/e/two", "top"]) commit(name);
  git(repo, "config", "user.name", "n");
  git(repo, "config", "user.email", "e@x.y");
  git(repo, "checkout", "-qb", "side", "HEAD~1");
  for (let i = 0; i < 50; i++) commit(`d/side-${i}`);
  git(repo, "checkout", "-q", "main");
}

const long = { timeout: 240_000 };

test.runIf(linux)("RUN-06: git mv of a folder", long, async (context) => {
  await using kit = await viewed(context, { prepare: repository });
  const before = statSync(path.join(kit.workspace, "repo/d/one"), { bigint: true }).mtimeNs;
  await well(kit, "cd repo && git mv d moved && test ! -e d && git mv top moved/e");
  expect(git(path.join(kit.workspace, "repo"), "status", "--porcelain").split("\n").toSorted()).toEqual([
    "",
    "R  d/e/two -> moved/e/two",
    "R  d/one -> moved/one",
    "R  top -> moved/e/top",
  ]);
  expect(statSync(path.join(kit.workspace, "repo/moved/one"), { bigint: true }).mtimeNs).toBe(before);
});

/** Calls rename(2) itself; prints its error number. */
const rename = (from: string, to: string): string =>
  `python3 -c 'import os, sys
try: os.rename(sys.argv[1], sys.argv[2]); print(0)
except OSError as e: print(e.errno)' ${from} ${to}`;

test.runIf(linux)("RUN-06: rename of a folder, with the errors of rename(2)", long, async (context) => {
  const prepare = madeBy(
    "mkdir -p a/in b full c n; echo 1 > a/in/f; ln -s in a/l; mkfifo a/p; touch full/x file; chmod 750 a/in; touch -d 2020-01-01 a/in",
  );
  await using kit = await viewed(context, { prepare });
  const said = await kit.run(
    [
      rename("a", "full"),
      rename("a", "file"),
      rename("a", "a/in/x"),
      rename("a", "/tmp/a"),
      rename("a", "no/a"),
      rename("$PWD/a/", "b/"),
      rename("b", "c/../d"),
      "touch $'n/\\xff'",
      rename("n", "m"),
      "ls m | od -An -c",
    ].join("; "),
  );
  expect(said.stdout.trim().split(/\n */)).toEqual(["39", "20", "22", "18", "2", "0", "0", "0", "377  \\n"]);
  const { mode, mtimeMs } = lstatSync(path.join(kit.workspace, "d/in"));
  expect([mode & 0o777, new Date(mtimeMs).getUTCFullYear()]).toEqual([0o750, 2020]);
  expect(Object.keys(treeOf(path.join(kit.workspace, "d")))).toEqual(["in/", "in/f", "l"]);
});

test.runIf(linux)("RUN-06: a folder with a guarded file stays where it was", long, async (context) => {
  const prepare = madeBy("mkdir -p a/in; touch a/1 a/in/2 a/in/guarded");
  await using kit = await viewed(context, { prepare, guarded: ["guarded"] });
  const before = treeOf(kit.workspace);
  expect((await kit.run(rename("a", "b"))).stdout).toBe("18\n");
  expect(treeOf(kit.workspace)).toEqual(before);
});

const isRoot = process.getuid?.() === 0;

test.runIf(linux && isRoot)(
  "RUN-06: a rename that fails midway leaves all where it was",
  long,
  async (context) => {
    const prepare = madeBy(
      "mkdir -p a/in/{1..9} a/{1..9}; for i in {1..9}; do echo $i > a/in/f$i; done; mknod a/in/null c 1 3",
    );
    await using kit = await viewed(context, { prepare });
    const list = "find . | sort";
    const { stdout } = await kit.run(`${list}; ${rename("a", "b")}; ${list}`);
    const [before, after] = stdout.split("\n13\n");
    expect(after).toBe(`${before}\n`);
  },
);

test.runIf(linux)("RUN-06: git clone of a repository by its path", long, async (context) => {
  await using kit = await viewed(context, { prepare: repository });
  await well(kit, "git clone -q ./repo copy && git -C repo gc -q && git clone -q repo again");
  for (const name of ["copy", "again"])
    expect(git(path.join(kit.workspace, name), "fsck", "--strict")).toBe("");
});

test.runIf(linux)("RUN-06: names that a command links are one file afterwards", long, async (context) => {
  const prepare = madeBy("echo 1 > old; echo 2 > two; ln two three");
  await using kit = await viewed(context, { prepare });
  await well(kit, "mkdir d; ln old d/link; ln two four; echo 3 > new; ln new d/new2; ln -f old d/link");
  const same = (...names: readonly string[]): unknown =>
    new Set(names.map((name) => statSync(path.join(kit.workspace, name)).ino)).size;
  expect([same("old", "d/link"), same("two", "four"), same("new", "d/new2")]).toEqual([1, 1, 1]);
});

/** Makes an application that depends on a package, which is a file. */
function application(at: string): void {
  mkdirSync(path.join(at, "dep"));
  mkdirSync(path.join(at, "app"));
  const dep = { name: "dep", version: "1.0.0", bin: { dep: "b.js" } };
  writeFileSync(path.join(at, "dep/package.json"), JSON.stringify(dep));
  writeFileSync(path.join(at, "dep/b.js"), "#!/usr/bin/env node\nconsole.log('ran')\n", { mode: 0o755 });
  execFileSync("tar", ["czf", "dep.tgz", "--transform", "s,^dep,package,", "dep"], { cwd: at });
  const dependencies = { dep: "file:../dep.tgz" };
  writeFileSync(path.join(at, "app/package.json"), JSON.stringify({ name: "app", dependencies }));
}

test.runIf(linux)("RUN-06: npm ci and npm update of a local dependency", long, async (context) => {
  await using kit = await viewed(context, { prepare: application });
  const npm = "npm --offline --no-audit --no-fund";
  await well(kit, `cd app && ${npm} install && node_modules/.bin/dep`);
  expect(await well(kit, `cd app && ${npm} ci >&2 && node_modules/.bin/dep`)).toBe("ran\n");
  expect(await well(kit, `cd app && ${npm} update >&2 && node_modules/.bin/dep`)).toBe("ran\n");
  expect(sh(kit, "node app/node_modules/dep/b.js")).toBe("ran\n");
});

test.runIf(linux)("RUN-06: git rebase of 50 commits and git stash", long, async (context) => {
  await using kit = await viewed(context, { prepare: repository });
  const repo = path.join(kit.workspace, "repo");
  await well(kit, "cd repo && git checkout -q side && git rebase -q main");
  expect(git(repo, "log", "--format=%s").split("\n")).toHaveLength(54);
  await well(kit, "cd repo && echo w >> top && echo u > new && git stash -qu");
  expect(git(repo, "status", "--porcelain")).toBe("");
  await well(kit, "cd repo && git stash pop -q");
  expect(git(repo, "status", "--porcelain")).toBe(" M top\n?? new\n");
});

test.runIf(linux)("RUN-06: python3 -m venv works, and is removed again", long, async (context) => {
  await using kit = await viewed(context, {});
  await well(kit, "python3 -m venv --without-pip v");
  expect(await well(kit, "v/bin/python -c 'import sys; print(sys.prefix != sys.base_prefix)'")).toBe(
    "True\n",
  );
  await well(kit, "rm -rf v");
  expect(treeOf(kit.workspace)).toEqual({});
});

/** Returns a command that works on the database `b.db` as `c`. */
const python = (code: string): string => `python3 -c "import sqlite3; c = sqlite3.connect('b.db'); ${code}"`;

test.runIf(linux)("RUN-06: a sqlite file of 200 MB is written to", long, async (context) => {
  const prepare = madeBy(
    python(
      "c.execute('create table t (x)'); [c.execute('insert into t values (zeroblob(1000000))') for _ in range(200)]; c.commit()",
    ),
  );
  await using kit = await viewed(context, { prepare });
  const insert =
    "c.execute('insert into t values (1)'); c.commit(); print(c.execute('pragma integrity_check').fetchall())";
  expect(await well(kit, python(insert))).toBe("[('ok',)]\n");
  expect(await well(kit, python("print(c.execute('select count(*) from t').fetchall())"))).toBe("[(201,)]\n");
});

test.runIf(linux)(
  "RUN-06: time stamps stay, so that make makes only what is out of date",
  long,
  async (context) => {
    const prepare = madeBy(
      "printf 'b: a\\n\\tcp a b\\nc: b\\n\\tcp b c\\n' > Makefile; echo 1 > a; mkdir d; touch -d 2019-05-05 d a",
    );
    await using kit = await viewed(context, { prepare });
    await well(kit, "touch -d '2020-01-01 00:00:00.123456789' exact; make c; touch -r a d; echo x > e");
    expect(await well(kit, "make c")).toBe("make: 'c' is up to date.\n");
    expect(await well(kit, "stat -c %y exact a d; touch b; make c")).toMatch(
      /^2020-01-01 00:00:00\.123456789 [^\n]+\n2019-05-05 [^\n]+\n2019-05-05 [^\n]+\ncp b c\n$/,
    );
  },
);
