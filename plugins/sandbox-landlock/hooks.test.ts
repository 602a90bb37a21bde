import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { git, guarded, hook, prepare, work } from "./repositories.test-kit.ts";
import { linux, startSandbox, tiers } from "./sandbox.test-kit.ts";

for (const how of tiers) {
  test.runIf(linux)(`SEC-15: hooks stay as they are wherever settings put them, ${how}`, async () => {
    const own = "#!/bin/sh\nexit 0\n";
    const settings: readonly (readonly string[])[] = [
      ["core.hooksPath", ".husky/_"],
      ["Core.HooksPath", "tools/hooks"],
      ["include.path", "../shared.ini"],
    ];
    await using kit = await startSandbox({
      runs: how,
      guarded,
      prepare: (workspace) => {
        prepare(workspace);
        const sm = path.join(workspace, "sm");
        for (const [key, value] of settings) git(sm, "config", "--add", key!, value!);
        for (const tree of ["sm", "wt"])
          mkdirSync(path.join(workspace, tree, "tools/hooks"), { recursive: true });
        writeFileSync(path.join(sm, "tools/hooks/pre-commit"), own, { mode: 0o755 });
        writeFileSync(path.join(sm, "shared.ini"), "");
      },
    });
    const at = (name: string): string => path.join(kit.workspace, name);
    const mark = at("MARK");
    const attack = ["sm/.husky/_", "sm/tools/hooks", "wt/tools/hooks", "wt/.husky/_"].map(hook).join("; ");
    const include = `printf '[core]\nfsmonitor = "touch ${mark}"\n' > sm/shared.ini`;
    await kit.run(`MARK=${mark}; (${attack}; ${include}) 2> /dev/null; echo ok > sm/tools/other`);
    for (const folder of ["sm", "wt"]) work(at(folder));
    expect(existsSync(mark)).toBe(false);
    expect(readFileSync(at("sm/tools/hooks/pre-commit"), "utf8")).toBe(own);
    expect(readFileSync(at("sm/tools/other"), "utf8")).toBe("ok\n");
  });

  test.runIf(linux)(
    `SEC-15: what settings start, and what stands in a file that they include, is as it was, ${how}`,
    async () => {
      await using kit = await startSandbox({
        runs: how,
        guarded,
        prepare: (workspace) => {
          git(workspace, "init", "-q");
          git(workspace, "config", "core.fsmonitor", ".tools/watch.sh");
          git(workspace, "config", "include.path", "../.gitshared");
          mkdirSync(path.join(workspace, ".tools"));
          mkdirSync(path.join(workspace, ".githooks"));
          writeFileSync(path.join(workspace, ".tools/watch.sh"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
          writeFileSync(path.join(workspace, ".gitshared"), "[core]\n\thooksPath = .githooks\n");
        },
      });
      const mark = path.join(kit.workspace, "MARK");
      const script = `printf '#!/bin/sh\\ntouch ${mark}\\nexit 1\\n' > .tools/watch.sh`;
      await kit.run(`MARK=${mark}; (${script}; ${hook(".githooks")}) 2> /dev/null; echo ok > other`);
      work(kit.workspace);
      expect(existsSync(mark)).toBe(false);
      expect(readFileSync(path.join(kit.workspace, "other"), "utf8")).toBe("ok\n");
    },
  );
}

test.runIf(linux)("SEC-15: what its owner's own settings of git name is as it was", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "gantry-home-"));
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CONFIG_HOME", "");
  try {
    await using kit = await startSandbox({
      guarded,
      prepare: (workspace) => {
        git(workspace, "init", "-q");
        mkdirSync(path.join(workspace, "dotfiles"));
        const [more, shared] = [path.join(home, "more"), path.join(workspace, "dotfiles/shared")];
        writeFileSync(shared, "");
        writeFileSync(more, `[include]\n\tpath = ${shared}\n[core]\n\thooksPath = .hooks\n`);
        writeFileSync(path.join(home, "own"), "[include]\n\tpath = ~/more\n");
        symlinkSync("own", path.join(home, ".gitconfig"));
      },
    });
    const mark = path.join(kit.workspace, "MARK");
    const include = `printf '[core]\nfsmonitor = "touch ${mark}"\n' > dotfiles/shared`;
    await kit.run(`MARK=${mark}; (${include}; ${hook(".hooks")}) 2> /dev/null; echo ok > dotfiles/other`);
    work(kit.workspace, path.join(home, ".gitconfig"));
    expect(existsSync(mark)).toBe(false);
    expect(readFileSync(path.join(kit.workspace, "dotfiles/other"), "utf8")).toBe("ok\n");
  } finally {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  }
});

test.runIf(linux)(
  "SEC-15: settings that are a pipe, or name each other by thousands, hold up nothing",
  async () => {
    await using kit = await startSandbox({ guarded });
    const many = `{ echo "[core]"; for i in {1..9000}; do echo "hookspath=a"; echo "worktree=b"; done; }`;
    await kit.run(
      `git init -q f; rm f/.git/config; mkfifo f/.git/config; mkdir -p g/.git/worktrees/x; mkfifo g/.git/worktrees/x/gitdir; git init -q h; ${many} > h/.git/config; echo ':!echo' > .exrc`,
    );
    expect(existsSync(path.join(kit.workspace, ".exrc"))).toBe(false);
    expect((await kit.run("echo on")).stdout).toContain("on");
  },
);
