import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  type KitOptions,
  type SandboxKit,
  confinedOf,
  processesWith,
  startSandbox,
  until,
} from "./sandbox.test-kit.ts";
import { guarded } from "./repositories.test-kit.ts";
import { idsIn, meanwhile, sh, treeOf, unnamed, words } from "./view.test-kit.ts";

interface Scenario extends KitOptions {
  play(kit: SandboxKit): Promise<unknown>;
}

/** Each is played in a service of its own, of one user or another; what it returns is JSON. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  becomesReal: {
    prepare: (at) => writeFileSync(path.join(at, "old"), "old"),
    async play(kit) {
      const { result, during } = await meanwhile(
        kit,
        "echo new > new; rm old; mkdir -p a/b; ln -s b a/c",
        "true",
      );
      return { during, after: treeOf(kit.workspace), findings: result.findings };
    },
  },
  lost: {
    prepare: (at) => writeFileSync(path.join(at, "old"), "old"),
    async play(kit) {
      const word = "31313";
      const run = kit.run(`echo new > new; rm old; sleep ${word}`).then(
        () => "ended",
        () => "lost",
      );
      await until(() => processesWith(`sleep\0${word}`).length > 0);
      for (const pid of confinedOf(process.pid)) process.kill(pid, "SIGKILL");
      return {
        run: await run,
        after: treeOf(kit.workspace),
        left: readdirSync(kit.layers),
        next: (await kit.run("cat old")).stdout,
      };
    },
  },
  hostile: {
    guarded,
    secret: [".env"],
    prepare: (at) => {
      execFileSync("git", ["init", "-q", at]);
      writeFileSync(path.join(at, ".env"), "KEY=canary-1");
      writeFileSync(path.join(at, ".envrc"), "mine");
      writeFileSync(path.join(at, "old"), "old");
    },
    async play(kit) {
      const before = treeOf(kit.workspace);
      const made = await kit.run(
        [
          "cat .env; grep -rs canary .; ls -A",
          "echo stolen > .env; mkdir s; echo x > s/.env",
          "echo evil > .envrc; mkdir .vscode; echo '{}' > .vscode/tasks.json; mkdir n; echo e > n/.envrc; echo hi > AGENTS.md",
          "echo evil > .git/hooks/pre-commit; git config core.fsmonitor evil; git init -q lib; git -C lib config core.fsmonitor evil",
          "ln -s /etc/passwd out; ln -s ../../.. up; ln -s out chain; ln -s old fine; ln -s /usr/bin/env python",
          "mkfifo pipe; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'",
          "cp /usr/bin/env suid; chmod 4755 suid; chmod u+s old",
          "touch $'bad\\xff'; mkdir $'d\\xfe'; echo x > $'d\\xfe/y'",
          "echo good > good; rm -rf .git/refs/tags; rm .git/hooks/*.sample",
        ].join("; "),
      );
      const after = treeOf(kit.workspace);
      const changed = Object.keys({ ...before, ...after }).filter((at) => before[at] !== after[at]);
      return {
        said: /canary/.test(made.stdout),
        changed: changed.filter((at) => !/^lib\/.git\/|\.sample$/.test(at)),
        lib: Object.keys(after).filter(
          (at) => /^lib\/.git\/(config|hooks)/.test(at) && !at.endsWith(".sample"),
        ),
        told: unnamed(made.findings).map((one) => one.replace(/; the owner.*/, "")),
        modes: ["old", "suid"]
          .filter((at) => existsSync(path.join(kit.workspace, at)))
          .filter((at) => lstatSync(path.join(kit.workspace, at)).mode & 0o6000),
      };
    },
  },
  savedAnew: {
    prepare: (at) => writeFileSync(path.join(at, ".env"), "canary-old"),
    async play(kit) {
      const save = "echo canary-new > .env.swp9; mv .env.swp9 .env; echo canary-place >> .env";
      const { result } = await meanwhile(
        kit,
        "true",
        save,
        "cat .env; mv .env k; ln .env l; grep -r canary . ",
      );
      return {
        said: /canary/.test(result.stdout),
        after: Object.keys(treeOf(kit.workspace)),
        env: sh(kit, "cat .env"),
      };
    },
  },
  conflict: {
    prepare: (at) => {
      for (const name of ["both", "mine", "gone", "kept", "removed"])
        writeFileSync(path.join(at, name), "was\n");
      execFileSync("mkdir", ["-p", path.join(at, "folder")]);
      writeFileSync(path.join(at, "folder/x"), "was\n");
    },
    async play(kit) {
      const { result } = await meanwhile(
        kit,
        "echo run >> both; echo run >> mine; rm kept; echo new > fresh; rm -rf folder; echo n > n; touch removed; echo run >> removed",
        "echo owner >> both; echo owner >> kept; echo owner > fresh; echo owner > folder/y; rm removed",
      );
      const [id = ""] = idsIn(result.findings);
      const tree = Object.entries(treeOf(kit.workspace)).map(([at, text]) => [at.replace(id, "ID"), text]);
      return { tree: Object.fromEntries(tree), told: unnamed(result.findings) };
    },
  },
  twoRuns: {
    prepare: (at) => writeFileSync(path.join(at, "file"), "was\n"),
    async play(kit) {
      const word = "31717";
      const first = kit.run(`echo first >> file; echo 1 > one; sleep ${word}; cat two`);
      await until(() => processesWith(`sleep\0${word}`).length > 0);
      const second = await kit.run("cat one; echo second >> file; echo 2 > two");
      for (const pid of processesWith(`sleep\0${word}`)) process.kill(pid, "SIGTERM");
      const { stdout, findings } = await first;
      const [id = ""] = idsIn(findings);
      const tree = Object.entries(treeOf(kit.workspace)).map(([at, text]) => [at.replace(id, "ID"), text]);
      return {
        seen: [stdout, second.stdout],
        tree: Object.fromEntries(tree),
        told: [unnamed(findings), second.findings],
      };
    },
  },
  undo: {
    prepare: (at) => {
      execFileSync(
        "/bin/bash",
        ["-c", "mkdir -p a/b e; echo 1 > a/b/f; echo 2 > g; ln -s g l; echo 3 > e/x; chmod 600 g"],
        { cwd: at },
      );
    },
    async play(kit) {
      const before = treeOf(kit.workspace);
      const { findings } = await kit.run(
        "rm -rf a; echo a > a; echo more >> g; rm l; mkdir -p n/m; echo y > n/m/y; rm -r e; mkdir e; echo z > e/z; chmod 755 g",
      );
      const changed = treeOf(kit.workspace);
      const [id = ""] = readdirSync(kit.layers);
      const [shown, undone] = [words(kit, id), words(kit, id)];
      shown.words.show();
      undone.words.undo();
      const { changes } = JSON.parse(shown.said[0]!) as { changes: { path: string; change: string }[] };
      return {
        findings,
        wasChanged: JSON.stringify(changed) !== JSON.stringify(before),
        shown: changes.map(({ path: at, change }) => `${change} ${at}`).toSorted(),
        isAsBefore: JSON.stringify(treeOf(kit.workspace)) === JSON.stringify(before),
        mode: (lstatSync(path.join(kit.workspace, "g")).mode & 0o777).toString(8),
      };
    },
  },
  movesFolder: {
    prepare: (at) =>
      execFileSync(
        "/bin/bash",
        ["-c", "mkdir -p a/closed/in; echo 1 > a/closed/in/f; echo 2 > a/g; chmod 500 a/closed"],
        {
          cwd: at,
        },
      ),
    async play(kit) {
      const rename = `python3 -c 'import os; os.rename("a", "b")'; stat -c %a b/closed; chmod 700 b/closed`;
      const { stdout, findings } = await kit.run(rename);
      for (const id of readdirSync(kit.layers)) words(kit, id).words.drop();
      return { stdout, findings, after: treeOf(kit.workspace) };
    },
  },
  takeAndDrop: {
    guarded: [".envrc"],
    async play(kit) {
      await kit.run("echo a > .envrc; mkdir d; echo b > d/.envrc; echo c > d/c; mkfifo p");
      const [id = ""] = readdirSync(kit.layers);
      const before = Object.keys(treeOf(kit.workspace));
      const taken = words(kit, id, "d/.envrc");
      await taken.words.take();
      const between = treeOf(kit.workspace);
      words(kit, id).words.drop();
      return {
        before,
        taken: (JSON.parse(taken.said[0]!) as { taken: unknown }).taken,
        between,
        left: readdirSync(kit.layers),
      };
    },
  },
  locksNothing: {
    async play(kit) {
      const deep =
        "import os\nfor i in range(40):\n os.mkdir('d'*200); os.chdir('d'*200)\nopen('x','w').close()";
      const secrets = "for i in range(3000): open(f'.env.{i}','w').close()";
      const first = await kit.run(
        `python3 -c "${deep}"; python3 -c "${secrets}"; mkdir -p w/{1..300}; echo ok > ok`,
        { timeoutMs: 60_000 },
      );
      const next = await kit.run("cat ok; ls -A w | wc -l; ls -A | grep -c env");
      return {
        exit: first.exitCode,
        next: next.stdout.trim().split("\n"),
        findings: (first.findings ?? []).length > 0,
      };
    },
    secret: [".env", ".env.*"],
  },
};

/** Plays all, one after another; returns what came of each, or why it cannot be played here. */
export async function playAll(): Promise<Readonly<Record<string, unknown>>> {
  const came: Record<string, unknown> = {};
  for (const name of Object.keys(scenarios)) came[name] = await play(name);
  return came;
}

async function play(name: string): Promise<unknown> {
  const { play: begin, ...options } = scenarios[name]!;
  await using kit = await startSandbox({ ...options, runs: "view" });
  const { noNamespaces, noViews } = kit.confinement.layers ?? {};
  const skip = noNamespaces ?? noViews;
  return skip === undefined ? await begin(kit) : { skip };
}
