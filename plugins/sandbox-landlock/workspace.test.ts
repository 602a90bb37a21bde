import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { linux, startSandbox, tiers } from "./sandbox.test-kit.ts";
import { meanwhile } from "./view.test-kit.ts";

const SECRET = "API_TOKEN=canary-91c3f7d2";

/** Makes a repository and a secret, as a person leaves them. */
function prepare(workspace: string): void {
  mkdirSync(path.join(workspace, ".git/hooks"), { recursive: true });
  writeFileSync(path.join(workspace, ".git/config"), "[core]\n\tbare = false\n");
  writeFileSync(path.join(workspace, ".git/hooks/pre-push"), "#!/bin/sh\n");
  chmodSync(path.join(workspace, ".git/hooks/pre-push"), 0o755);
  mkdirSync(path.join(workspace, "deep/er"), { recursive: true });
  for (const file of [".env", "deep/er/.env"]) writeFileSync(path.join(workspace, file), `${SECRET}\n`);
}

const reading = [
  "cat .env",
  "cat .en?",
  "cat $(echo .env)",
  "x=nv; cat .e$x",
  "grep -r TOKEN .",
  "for f in .* deep/er/.*; do cat $f; done",
  "ln -s .env plain; cat plain",
  "ln .env hard; cat hard",
  "cp .env copy; cat copy",
  "mv .env moved; cat moved",
  "perl -e 'open F, q{<}, q{.env}; print <F>'",
  "tar cf - . | strings",
  "mv deep other; cat other/er/.env",
];

const changing = [
  "echo evil > .git/hooks/pre-commit",
  "echo evil >> .git/hooks/pre-push; chmod 700 .git/hooks/pre-push",
  "echo '[alias] x = !evil' >> .git/config",
  "read -r d <<< .git/hooks/post-merge; printf evil > $d",
  "rm -rf .git/hooks",
  "rm -rf .git; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
  "mv .git g; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; echo '[core] fsmonitor = evil' > .git/config",
  "mv .git/hooks h; ln -s ../h .git/hooks",
  "mv .git g; ln -s g .git; echo evil > g/hooks/pre-commit",
  "mkdir -p evil/objects; mv .git g; echo 'gitdir: evil' > .git",
  "ln -sf /bin/sh .git/hooks/pre-push",
];
const ADDED =
  "mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/pre-commit; echo '[core] pager = evil' > sub/.git/config";

/** Returns all that git would obey, of the workspace and of a repository beneath. */
function obeyed(workspace: string): string {
  const read = (file: string): string =>
    existsSync(path.join(workspace, file)) ? readFileSync(path.join(workspace, file), "utf8") : "none";
  const hooks = ["pre-commit", "pre-push", "post-merge"].map((name) => read(`.git/hooks/${name}`));
  const mode = statSync(path.join(workspace, ".git/hooks/pre-push")).mode & 0o777;
  return [
    ...hooks,
    read(".git/config"),
    read("sub/.git/hooks/pre-commit"),
    read("sub/.git/config"),
    mode,
  ].join("|");
}

for (const runs of tiers) {
  test.runIf(linux)(`SEC-15: secret files come out by no name and no program, ${runs}`, async () => {
    await using kit = await startSandbox({ runs, prepare });
    const { stdout, stderr } = await kit.run(reading.join("\n"));
    expect(stdout + stderr).not.toContain("canary-91c3f7d2");
    expect(stderr + stdout).toMatch(runs === "view" ? /No such file/ : /Permission denied|busy/);
  });

  test.runIf(linux)(`SEC-15: guarded files are as they were after any run, ${runs}`, async () => {
    await using kit = await startSandbox({ runs, prepare });
    for (const command of runs === "view" ? [...changing, ADDED] : changing) {
      for (const name of readdirSync(kit.workspace))
        rmSync(path.join(kit.workspace, name), { recursive: true });
      prepare(kit.workspace);
      const before = obeyed(kit.workspace);
      await kit.run(command);
      expect(`${command}: ${obeyed(kit.workspace)}`).toBe(`${command}: ${before}`);
    }
  });
}

test.runIf(linux).each(tiers)(
  "SEC-15: what appears between two runs is hidden and held in the next, %s",
  async (runs) => {
    await using kit = await startSandbox({ runs });
    expect((await kit.run("ls -A")).stdout).toBe("");
    prepare(kit.workspace);
    expect((await kit.run("cat .env deep/er/.env")).stdout).toBe("");
    expect((await kit.run("echo evil > .git/hooks/pre-commit")).stderr).toContain("Read-only file system");
    writeFileSync(path.join(kit.workspace, "new.txt"), "fine");
    expect((await kit.run("cat new.txt")).stdout).toBe("fine");
  },
);

test.runIf(linux)("SEC-15: a new repository keeps what starts nothing", async () => {
  await using kit = await startSandbox();
  const made = await kit.run("git init -q real && git -C real config user.email a@b.c && echo made");
  expect([made.stdout, made.findings]).toEqual(["made\n", []]);
  const again = await kit.run(
    "cd real && touch f && git add f && git -c user.name=n commit -qm m && git log --format=%s",
  );
  expect(again.stdout).toBe("m\n");
});

test.runIf(linux)("SEC-13: a blocked command fails whoever starts it, and its neighbours run", async () => {
  for (const namespaces of [true, false]) {
    await using kit = await startSandbox({ namespaces, blocked: ["wc", "rev"] });
    writeFileSync(path.join(kit.workspace, "data"), "one\n");
    const { stdout, stderr } = await kit.run(
      "perl -e 'exec q{wc}, q{data} or print qq{$!\\n}'; find data -exec rev {} +; w=c; w$w data; sh -c 'rev data'; sort data",
    );
    expect(stdout).toBe("Permission denied\none\n");
    expect(stderr.match(/Permission denied/g)!.length).toBeGreaterThan(2);
  }
});

test.runIf(linux)("SBX-09: a file and what a run writes altogether are bounded", async () => {
  await using kit = await startSandbox({ bounds: { max_file_mb: 4, max_disk_mb: 64 } });
  const one = await kit.run(
    "trap '' XFSZ; head -c 8000000 /dev/zero > big; stat -c %s big; truncate -s 900G sparse; echo $?",
  );
  expect(one.stdout).toBe("4194304\n1\n");
  const many = await kit.run(
    "for i in $(seq 60); do head -c 3000000 /dev/zero > f$i; sleep 0.05; done; echo survived",
  );
  expect([many.stdout, many.findings]).toEqual([
    "",
    [`stopped: the disk of ${kit.workspace} lost more than 64 MiB (runtime.max_disk_mb)`],
  ]);
});

for (const runs of tiers) {
  test.runIf(linux)(
    `SBX-09: what the workspace may hold is bounded, over many runs and writes, ${runs}`,
    async () => {
      const bounds = { max_disk_mb: 512, max_workspace_mb: 48 };
      await using kit = await startSandbox({ runs, bounds });
      const fill =
        "head -c 20000000 /dev/zero > f$((++n)); sleep 0.5; head -c 20000000 /dev/zero > g; sleep 0.5; rm g";
      expect((await kit.run(fill)).findings).toEqual([]);
      const { findings } = await kit.run(
        "for i in 1 2 3 4 5 6; do head -c 8000000 /dev/zero > h$i; sleep 0.4; done; touch survived",
      );
      expect(findings).toEqual(["stopped: the workspace holds more than 48 MiB (runtime.max_workspace_mb)"]);
      const fault = { fault: { fault: "full", path: kit.workspace } };
      await expect(kit.run("true")).rejects.toMatchObject(fault);
      const write = { do: "write", path: path.join(kit.workspace, "w"), data: "x" } as const;
      const { signal } = new AbortController();
      await expect(kit.confinement.request<"write">(write, signal)).rejects.toMatchObject(fault);
      for (const name of readdirSync(kit.workspace)) rmSync(path.join(kit.workspace, name));
      expect((await kit.run("echo again")).stdout).toBe("again\n");
      await kit.confinement.request<"write">(write, signal);
    },
  );
}

test.runIf(linux)(
  "SBX-07: temporary files of one run are not there for the next, nor for one beside it",
  async () => {
    await using kit = await startSandbox();
    const { result } = await meanwhile(kit, "echo mine > /tmp/one", "true", "cat /tmp/one", async () =>
      expect((await kit.run("cat /tmp/one")).stdout).toBe(""),
    );
    expect(result.stdout).toBe("mine\n");
    expect((await kit.run("cat /tmp/one; mktemp | cut -c1-5")).stdout).toBe("/tmp/\n");
  },
);

test.runIf(linux)("SBX-09: nobody else may write what a run makes, and nothing dumps core", async () => {
  const before = process.umask(0);
  try {
    await using kit = await startSandbox();
    expect((await kit.run("touch f; mkdir d; stat -c %a f d; ulimit -c")).stdout).toBe("644\n755\n0\n");
  } finally {
    process.umask(before);
  }
});
