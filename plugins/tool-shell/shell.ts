import {
  type RunResult,
  type Sandbox,
  type Tool,
  type ToolCall,
  type ToolResult,
  defineTool,
} from "@gantry/sdk";
import type { RunSpec } from "@gantry/sdk/fill";
import { Type } from "typebox";
import type { closedFiles } from "./closed-files.ts";
import { errors } from "./errors.ts";

export interface ShellOptions {
  /** Undefined if no plugin starts processes. */
  readonly sandbox: Sandbox | undefined;
  readonly enabled: boolean;
  /** True for a call that is to be tried before a person is asked. */
  tries(call: ToolCall): boolean;
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

interface Command {
  readonly command: string;
  readonly timeout_seconds?: number;
}

export function shellTool({
  sandbox,
  enabled,
  tries,
  timeoutMs,
  maxOutputBytes,
  closed,
}: ShellOptions): Tool {
  const limitOf = ({ timeout_seconds = Infinity }: Command): number =>
    Math.min(timeoutMs, timeout_seconds * 1000);
  const specOf = (args: Command, of: Pick<RunSpec, "cwd" | "signal" | "session">): RunSpec => ({
    argv: [...BASH, args.command],
    ...of,
    timeoutMs: limitOf(args),
    maxOutputBytes: Math.max(0, maxOutputBytes - FRAME_BYTES),
  });
  const answer = async (args: Command, result: RunResult, cwd: string): Promise<ToolResult> => {
    const walls = await sandbox?.policy();
    const ended = { command: args.command, stderr: result.stderr, failed: result.exitCode !== 0 };
    return report(result, limitOf(args), walls?.files ? closed(ended, cwd) : []);
  };
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
    async tryFirst(call, { key, waitMs, signal, clean = async (text) => text }) {
      if (!sandbox || !tries(call)) return undefined;
      if (call.shared === true) return { untried: "others would read what it did before anybody decides" };
      if (call.network === true) return { untried: "it can reach the network, which a try does not" };
      const args = call.args as unknown as Command;
      const spec = specOf(args, { cwd: call.cwd, signal, session: call.session });
      const tried = await sandbox.tryRun?.(spec, { key, waitMs });
      if (!tried) return { untried: "the sandbox holds nothing back" };
      if ("untried" in tried) return tried;
      const { triedPreview } = await import("./tried-text.ts");
      const { result } = tried;
      const end = endOf(result, limitOf(args));
      const preview = await triedPreview(args.command, tried, end, clean).catch(async (error: unknown) => {
        await tried.drop();
        throw error;
      });
      return {
        preview,
        drop: () => tried.drop(),
        async take() {
          const findings = [...(result.findings ?? []), ...(await tried.take())];
          return answer(args, { ...tried.result, findings }, call.cwd);
        },
      };
    },
    async run({ args, cwd, signal, session }) {
      if (!sandbox) throw errors.SHELL_NO_SANDBOX();
      return answer(args, await sandbox.run(specOf(args, { cwd, signal, session })), cwd);
    },
  });
}

/** The output, then what a person would ask about it. */
function report(result: RunResult, limitMs: number, closed: readonly string[]): ToolResult {
  const { stdout, stderr, exitCode, droppedBytes, findings = [], wrote = [] } = result;
  const notes = [
    ...(droppedBytes > 0 ? [`output cut: ${droppedBytes} more bytes`] : []),
    endOf(result, limitMs),
    ...findings,
    ...closed,
  ];
  const parts = [stdout.trimEnd(), stderr && `[stderr]\n${stderr.trimEnd()}`, `[${notes.join("; ")}]`];
  return { text: parts.filter(Boolean).join("\n"), failed: exitCode !== 0, wrote };
}

function endOf({ exitCode, signal, timedOut }: RunResult, limitMs: number): string {
  if (timedOut) return `stopped after ${limitMs / 1000} s`;
  return exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`;
}
