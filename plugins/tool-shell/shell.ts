import { type RunResult, type Sandbox, type Tool, type ToolResult, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import type { closedFiles } from "./closed-files.ts";
import { errors } from "./errors.ts";

export interface ShellOptions {
  /** Undefined where no plugin starts processes. */
  readonly sandbox: Sandbox | undefined;
  readonly enabled: boolean;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Phrases on closed files that explain how a run behind walls ended. */
  readonly closed: ReturnType<typeof closedFiles>;
}

/** Time for the sandbox to end what ran out of time, and for its output to arrive. */
const GRACE_MS = 5_000;
/** The words around the output need room too. */
const FRAME_BYTES = 512;

/** The shell that the guards read for: no profile, no start-up file. */
const BASH = ["/bin/bash", "--norc", "--noprofile", "-c"];

export function shellTool({ sandbox, enabled, timeoutMs, maxOutputBytes, closed }: ShellOptions): Tool {
  return defineTool({
    name: "shell",
    atTerminal: "command",
    description:
      "Runs one bash command line in the workspace and gives its output and exit code. Nothing survives the command; standard input is empty.",
    input: Type.Object({
      command: Type.String({ minLength: 1, maxLength: 65_536, description: "The command line." }),
      timeout_seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 86_400,
          description: `Stop it earlier than after ${timeoutMs / 1000} seconds.`,
        }),
      ),
    }),
    timeoutMs: timeoutMs + GRACE_MS,
    offered: () => enabled && sandbox !== undefined,
    effects: ({ command }) => ({ commands: [command] }),
    preview: ({ command }) => command,
    async run({ args: { command, timeout_seconds = Infinity }, cwd, signal }) {
      if (!sandbox) throw errors.SHELL_NO_SANDBOX();
      const limit = Math.min(timeoutMs, timeout_seconds * 1000);
      const room = Math.max(0, maxOutputBytes - FRAME_BYTES);
      const result = await sandbox.run({
        argv: [...BASH, command],
        cwd,
        timeoutMs: limit,
        maxOutputBytes: room,
        signal,
      });
      const walls = await sandbox.policy();
      const ended = { command, stderr: result.stderr, failed: result.exitCode !== 0 };
      return report(result, limit / 1000, walls.files ? closed(ended, cwd) : []);
    },
  });
}

/** The output, then what a person would ask about it. */
function report(
  { stdout, stderr, exitCode, signal, timedOut, droppedBytes, findings = [] }: RunResult,
  seconds: number,
  closed: readonly string[],
): ToolResult {
  const notes = [
    ...(droppedBytes > 0 ? [`output cut: ${droppedBytes} more bytes`] : []),
    timedOut
      ? `stopped after ${seconds} s`
      : exitCode === null
        ? `ended by ${signal}`
        : `exit code ${exitCode}`,
    ...findings,
    ...closed,
  ];
  const parts = [stdout.trimEnd(), stderr && `[stderr]\n${stderr.trimEnd()}`, `[${notes.join("; ")}]`];
  return { text: parts.filter(Boolean).join("\n"), failed: exitCode !== 0 };
}
