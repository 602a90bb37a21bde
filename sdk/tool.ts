import type { Static, TObject } from "typebox";
import type { Part } from "./content.ts";
import type { Logger } from "./plugin.ts";
import { many } from "./slot.ts";

/** A path that a call will touch, as written and as the host resolved it (absolute, links followed as far as they exist). */
export interface PathUse {
  readonly path: string;
  readonly resolved: string;
  readonly access: "read" | "write";
}

/** What a call will do to the world, stated by the tool, read by the guards; what is checked is what is used. */
export interface Effects {
  readonly paths: readonly PathUse[];
  /** Shell command lines that will run, each whole. */
  readonly commands: readonly string[];
  /** Addresses that will be requested. */
  readonly urls: readonly string[];
}

/** A tool's own statement of its effects; relative paths are relative to the workspace. */
export interface StatedEffects {
  readonly paths?: readonly { readonly path: string; readonly access: "read" | "write" }[];
  readonly commands?: readonly string[];
  readonly urls?: readonly string[];
}

/** One call as the guards see it; frozen all the way down, arguments already checked against the tool's schema. */
export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly effects: Effects;
  readonly session: string;
  /** `<channel>:<user_id>` */
  readonly user: string;
  /** The working directory: the resolved workspace. */
  readonly cwd: string;
  /** True for `policy explain`: decide, but count and remember nothing. */
  readonly dryRun: boolean;
}

/** What a running tool is handed. */
export interface ToolRun<Args> {
  readonly args: Args;
  readonly effects: Effects;
  readonly session: string;
  readonly user: string;
  readonly cwd: string;
  /** Aborted on cancel and on the tool's time limit. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Calls another tool through the same guards, approval and audit; gives its result text or throws its refusal. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

export interface Tool {
  readonly name: string;
  /** One or two sentences for the model. */
  readonly description: string;
  readonly input: TObject;
  /** May run beside other calls of the same answer (it changes nothing). Default false. */
  readonly parallel?: boolean;
  /** Milliseconds for one run; default 60,000. */
  readonly timeoutMs?: number;
  /** Left out of what the model is offered while it says false. */
  offered?(): boolean;
  /** What this call will touch. A tool that touches files, commands or addresses and does not say so gets past no wall. */
  effects?(args: any): StatedEffects;
  /** What a person is shown when asked; default: the arguments as JSON. */
  preview?(args: any): string;
  /** Resolves to what the model is told; throws for a failure, whose message the model is told. */
  run(run: ToolRun<any>): Promise<ToolResult>;
}

/** For the model: text, or parts. `failed` marks work that ran and went wrong, such as a command with a bad exit code. */
export type ToolResult =
  | string
  | { readonly text: string; readonly failed: boolean }
  | { readonly parts: readonly Part[]; readonly failed: boolean };

/** Sealed: a tool runs only by way of the host. */
export const Tools = many<Tool>(
  "tools",
  (tool: Tool) => {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
      return "has a name with other signs than letters, digits, _ and -";
    if (typeof tool.description !== "string" || !tool.description) return "has no description for the model";
    if (tool.input?.type !== "object") return "has no Type.Object() as its input";
    return typeof tool.run === "function" ? undefined : "has no run()";
  },
  true,
);

/** Gives `run`, `effects` and `preview` the type of the tool's own schema. A tool is a value: test it without a host. */
export function defineTool<Input extends TObject>(
  tool: Omit<Tool, "input" | "run" | "effects" | "preview"> & {
    readonly input: Input;
    effects?(args: Static<Input>): StatedEffects;
    preview?(args: Static<Input>): string;
    run(run: ToolRun<Static<Input>>): Promise<ToolResult>;
  },
): Tool {
  return Object.freeze(tool);
}
