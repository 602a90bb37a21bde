import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import * as Value from "typebox/value";
import { securityKeys } from "@gantry/sdk";

/** The default of the guarded files. */
export const guarded = Value.Create(securityKeys.guarded_files) as readonly string[];
export const git = (folder: string, ...args: readonly string[]): string => gitAs("/dev/null", folder, args);

/** Runs git. `settings`: the owner's own. */
const gitAs = (settings: string, folder: string, args: readonly string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=n", "-c", "user.email=e@x.y", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: {
      PATH: process.env.PATH,
      HOME: path.dirname(settings),
      GIT_CONFIG_GLOBAL: settings,
      GIT_CONFIG_SYSTEM: "/dev/null",
    },
  });

/** Makes a repository of the owner's, with a submodule and a further working tree. */
export function prepare(workspace: string, worktree = true): void {
  for (const name of ["lib", "sm"]) {
    mkdirSync(path.join(workspace, name));
    git(path.join(workspace, name), "init", "-q");
    git(path.join(workspace, name), "commit", "-q", "--allow-empty", "-m", "first");
  }
  const sm = path.join(workspace, "sm");
  git(
    sm,
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    path.join(workspace, "lib"),
    "lib",
  );
  if (worktree) git(sm, "worktree", "add", "-q", "../wt");
}

/** Works in a repository as its owner does; a repository that is broken by now is skipped. */
export function work(folder: string, settings = "/dev/null"): void {
  for (const args of [["status"], ["commit", "-q", "--allow-empty", "-m", "x"]]) {
    try {
      gitAs(settings, folder, ["-c", "user.name=n", "-c", "user.email=e@x.y", ...args]);
    } catch {
      continue;
    }
  }
}

/** Returns a command that makes a hook in a folder, which writes the file `$MARK`. */
export const hook = (folder: string): string =>
  `mkdir -p ${folder}; printf '#!/bin/sh\\ntouch %s\\n' "$MARK" > ${folder}/pre-commit; chmod 755 ${folder}/pre-commit`;
