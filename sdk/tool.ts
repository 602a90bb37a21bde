import type { Static, TObject } from "typebox";
import type { Part } from "./content.ts";
import type { Awaitable } from "./awaitable.ts";
import type { Logger } from "./logger.ts";
import type { Scope } from "./scope.ts";
import { many } from "./slot.ts";
import type { Trust } from "./trust.ts";
import { all, hasScope, having, mayHave } from "./shape.ts";

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
  /** People and services outside that the call sends to. */
  readonly recipients?: readonly string[];
  /** What its result brings into the conversation, beside what paths, commands and addresses tell. */
  readonly brings?: Sources;
  readonly target?: Target;
  /** True where the tool cannot say what the call touches: a guard asks, at every level of autonomy. */
  readonly unknown?: boolean;
}

/**
 * The one thing that a call acts on where the arguments only point at it, such as a button by its number. It is asked for
 * once more right before the run: another one than was decided on is APPROVAL_CHANGED.
 */
export interface Target {
  /** In words, for whoever decides. */
  readonly shown: string;
  /** Changes with whatever of it counts. */
  readonly digest: string;
}

/** Where what a conversation holds has come from, each in a few words. */
export interface Sources {
  /** From outside: pages, other people's messages, services. */
  readonly material: readonly string[];
  /** The owner's own: files, memory, mail. */
  readonly private: readonly string[];
}

/** A tool's own statement of its effects; relative paths are relative to the workspace. */
export interface StatedEffects {
  readonly paths?: readonly { readonly path: string; readonly access: "read" | "write" }[];
  readonly commands?: readonly string[];
  readonly urls?: readonly string[];
  readonly recipients?: readonly string[];
  readonly brings?: Partial<Sources>;
  readonly target?: Target;
}

/** What a tool says of itself. A claim: it may make a guard stricter and never lifts a question. */
export interface ToolHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  /** It talks to a world that nobody here governs: what it brings is material from outside, what it is given leads out. */
  readonly openWorld?: boolean;
}

/** What a tool is told when it states its effects. */
export interface EffectsContext {
  readonly session: string;
  readonly user: string;
  /** The resolved workspace. */
  readonly cwd: string;
}

/** What a tool is told when it shows a call to a person. */
export interface PreviewContext {
  /** As the guards were shown them. */
  readonly effects: Effects;
  readonly signal: AbortSignal;
}

/** What a person is shown of a call. */
export interface Preview {
  readonly text: string;
  /** The change to a file, as a unified diff. */
  readonly diff?: string;
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
  /** Of whoever speaks in the turn; `owner` for calls outside of turns. */
  readonly trust: Trust;
  /** Under whose name the turn works, where it has one. */
  readonly agent?: string;
  /** The working directory: the resolved workspace. */
  readonly cwd: string;
  /** What the tool claims of itself. */
  readonly hints?: ToolHints;
  /** {@link Tool.source} */
  readonly source?: string;
  /** True where commands of this call can reach the network. */
  readonly network?: boolean;
  /** What the conversation already holds. */
  readonly sources?: Sources;
  /** True for `policy explain`: decide, but count and remember nothing. */
  readonly dryRun: boolean;
}

/** What a tool takes: a `Type.Object` of TypeBox, or any other JSON Schema of an object. */
export type ToolInput = TObject | { readonly type: "object"; readonly [keyword: string]: unknown };

/** What a running tool is handed. */
export interface ToolRun<Args> {
  readonly args: Args;
  readonly effects: Effects;
  readonly session: string;
  readonly user: string;
  readonly cwd: string;
  /** What the conversation held when the call was decided on; what the tool keeps for later keeps it too. */
  readonly sources: Sources;
  /** Aborted on cancel and on the tool's time limit. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * Asks for what shows only while the tool runs, such as where a page has led: the same guards, the same question, the
   * same record as for the call itself. Throws the refusal.
   */
  check(effects: StatedEffects): Promise<void>;
  /** Calls another tool through the same guards, approval and audit; gives its result text or throws its refusal. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

export interface Tool {
  readonly name: string;
  /** One or two sentences for the model. */
  readonly description: string;
  readonly input: ToolInput;
  /** May run beside other calls of the same answer (it changes nothing). Default false. */
  readonly parallel?: boolean;
  /** Milliseconds for one run; default 60,000. */
  readonly timeoutMs?: number;
  readonly hints?: ToolHints;
  /** Where the tool comes from, if not from its plugin itself, such as `mcp`; rules of `security.allow` can name it. */
  readonly source?: string;
  /** The scope that a turn needs to have the tool. Default `talk`. */
  readonly may?: Scope;
  /** While it says false, the model is not offered the tool and no call of it runs. */
  offered?(): Awaitable<boolean>;
  /**
   * What this call will touch, or `unknown` if that cannot be said before it runs. A tool that touches files, commands or
   * addresses and does not say so gets past no wall.
   */
  effects?(args: any, context: EffectsContext): Awaitable<StatedEffects | "unknown">;
  /** What a person is shown when asked; default: the arguments as JSON. */
  preview?(args: any, context: PreviewContext): Awaitable<string | Preview>;
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
    return all(having("run"), mayHave("offered", "effects", "preview"), hasScope)(tool);
  },
  true,
);

/** A result as a filter leaves it; `found` says what was taken out, for the audit. */
export interface FilteredResult {
  readonly text: string;
  readonly found?: string;
}

/** Takes out of a result what the model must not see. One that throws withholds the whole result. */
export interface ResultFilter {
  readonly name: string;
  filter(text: string, call: ToolCall): Awaitable<FilteredResult>;
}
export const ResultFilters = many<ResultFilter>("result-filters", having("filter"));

/** What calls bring: typed by TypeBox, an object of anything by other schemas. */
export type ArgsOf<Input extends ToolInput> = Input extends TObject
  ? Static<Input>
  : Readonly<Record<string, unknown>>;

/** Gives `run`, `effects` and `preview` the type of the tool's own schema. A tool is a value: test it without a host. */
export function defineTool<Input extends ToolInput>(
  tool: Omit<Tool, "input" | "run" | "effects" | "preview"> & {
    readonly input: Input;
    effects?(args: ArgsOf<Input>, context: EffectsContext): Awaitable<StatedEffects | "unknown">;
    preview?(args: ArgsOf<Input>, context: PreviewContext): Awaitable<string | Preview>;
    run(run: ToolRun<ArgsOf<Input>>): Promise<ToolResult>;
  },
): Tool {
  return Object.freeze(tool);
}
