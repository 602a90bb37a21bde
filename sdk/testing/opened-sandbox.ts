import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OpenSpec, RunSpec, Sandbox } from "../tools/sandbox.ts";

export interface SandboxSubject {
  /** Walls around an empty workspace, which is resolved. Programs of the system may be started. */
  open(): Promise<OpenedSandbox>;
}

export interface OpenedSandbox {
  readonly sandbox: Sandbox;
  readonly workspace: string;
  /**
   * Does something as a turn that works in a folder of the workspace; left out, folders are not
   * tried.
   */
  within?(folder: string, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export const signal: AbortSignal = new AbortController().signal;
const shell = (script: string): readonly string[] => ["/bin/sh", "-c", script];

interface Opened extends Pick<OpenedSandbox, "sandbox" | "within"> {
  /** In the workspace. */
  at(name: string): string;
  run(script: string, more?: Partial<RunSpec>): ReturnType<Sandbox["run"]>;
  start(script: string, more?: Partial<OpenSpec>): ReturnType<Sandbox["open"]>;
  /** A folder outside of the walls, with `canary` in its `file`. */
  readonly outside: string;
}

type Check = (opened: Opened) => Promise<void>;

/** Returns what runs a check with a sandbox of its own. */
export function openedBy(subject: SandboxSubject): (check: Check) => () => Promise<void> {
  return (check) => async () => {
    const { sandbox, workspace: cwd, within, close } = await subject.open();
    const outside = await mkdtemp(path.join(tmpdir(), "gantry-outside-"));
    await writeFile(path.join(outside, "file"), "canary");
    const limits = { timeoutMs: 45_000, maxOutputBytes: 65_536 };
    try {
      await check({
        sandbox,
        ...(within && { within }),
        outside,
        at: (name) => path.join(cwd, name),
        run: (script, more) => sandbox.run({ argv: shell(script), cwd, signal, ...limits, ...more }),
        start: (script, more) => sandbox.open({ argv: shell(script), signal, ...more }),
      });
    } finally {
      await close();
      await rm(outside, { recursive: true, force: true });
    }
  };
}
