import type { Static, TObject } from "typebox";
import type { Autonomy } from "../security/autonomy.ts";
import type { Awaitable } from "../contract/awaitable.ts";
import type { Effects, Sources, StatedEffects } from "./effects.ts";
import type { Scope } from "../security/scope.ts";
import { many } from "../contract/slot.ts";
import type {
  Preview,
  PreviewContext,
  ToolOrigin,
  ToolResult,
  ToolRun,
  Tried,
  TryContext,
  Untried,
} from "./tool-run.ts";
import type { Trust } from "../security/trust.ts";
import { all, hasScope, having, mayHave } from "../contract/shape.ts";

/** A tool's claims about itself. A claim may make a guard stricter and never lifts a question. */
export interface ToolHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  /**
   * It talks to a world that nobody here governs: what it brings is material from outside, what it
   * is given leads out.
   */
  readonly openWorld?: boolean;
}

/** The facts for a tool that states its effects. */
export interface EffectsContext {
  readonly session: string;
  readonly user: string;
  /** As in {@link ToolRun}, like `origin`. */
  readonly agent?: string | undefined;
  readonly origin?: ToolOrigin | undefined;
  /** The resolved workspace. */
  readonly cwd: string;
}

/**
 * One call as the guards see it; frozen all the way down, arguments already checked against the
 * tool's schema.
 */
export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly effects: Effects;
  readonly session: string;
  /** `<channel>:<user_id>` */
  readonly user: string;
  /** The trust of whoever speaks in the turn, or whose message a call outside of turns is for. */
  readonly trust: Trust;
  /** The name of the agent under which the turn works, if it has one. */
  readonly agent?: string;
  /** The level of its turn, if narrower than the configured one; guards of the level go by it. */
  readonly autonomy?: Autonomy;
  /**
   * The id of the turn that it belongs to, as {@link TurnFacts} has it. A call by
   * {@link Inbox.call} has an id of its own, of which no `turnStarted` tells.
   */
  readonly turn?: string;
  /** The working directory: the resolved workspace of its turn, of which no path may lead out. */
  readonly cwd: string;
  /** The tool's claims about itself. */
  readonly hints?: ToolHints;
  /** {@link Tool.source} */
  readonly source?: string;
  /** True if commands of this call can reach the network. */
  readonly network?: boolean;
  /** The sources of what the conversation already holds. */
  readonly sources?: Sources;
  /** True if others than its person read the answer, as in a group. */
  readonly shared?: boolean;
  /** True for `policy explain`: decide, but count and remember nothing. */
  readonly dryRun: boolean;
}

/** One call, by the name of its tool. */
export interface NamedCall {
  readonly tool: string;
  readonly args: unknown;
}

/** The schema of a tool's arguments: a `Type.Object` of TypeBox, or a JSON Schema of an object. */
export type ToolInput = TObject | { readonly type: "object"; readonly [keyword: string]: unknown };

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
  /**
   * The source of the tool, if not its plugin itself, such as `mcp`; rules of `security.allow` can
   * name it.
   */
  readonly source?: string;
  /**
   * The dotted key of config.toml by which its owner allows the tool: while `allow` stands there,
   * questions about its calls are lifted as a rule of `security.allow` lifts them.
   */
  readonly allowedBy?: string;
  /** The scope that a turn needs to have the tool. Default `talk`. */
  readonly may?: Scope;
  /**
   * Its use by a person at a terminal: `command` runs the `{ command }` that they write behind a
   * `!`, `list` gives the entries of the folder `{ path }`, one a line, folders with a slash behind
   * and files with a note in brackets.
   */
  readonly atTerminal?: "command" | "list";
  /**
   * True: it can be called and is not sent to the model, so that requests stay as they are when
   * such tools come and go. A turn that has no tool with `standsFor` is sent it like any other.
   */
  readonly deferred?: boolean;
  /**
   * While it returns false, the model is not offered the tool and no call of it runs. `command`
   * names the chat command that began the turn, if one did; hosts of earlier releases do not tell
   * it.
   */
  offered?(command?: string): Awaitable<boolean>;
  /**
   * Returns what this call will touch, or `unknown` if that cannot be said before it runs. Guards
   * decide by it, and what a tool starts and opens by `Sandbox` and `Net` is held to the same
   * rules; what it does in JavaScript itself is held to nothing.
   */
  effects?(args: any, context: EffectsContext): Awaitable<StatedEffects | "unknown">;
  /** Returns the text that a person is shown when asked; default: the arguments as JSON. */
  preview?(args: any, context: PreviewContext): Awaitable<string | Preview>;
  /**
   * Makes a call about which a person is to be asked, where nobody sees what it does: the question
   * shows that, a yes makes it real, and `run` is not called. Undefined if this is not wanted;
   * without it, and in hosts of earlier releases, the question shows `preview`. Throws what makes
   * the call fail before anybody is asked.
   */
  tryFirst?(call: ToolCall, context: TryContext): Promise<Tried | Untried | undefined>;
  /**
   * Reads out of its arguments the call of another tool that a call of this tool is: that call is
   * checked, decided on, recorded and run in its place, and `run` only by hosts of earlier
   * releases. What it names must do its own work.
   */
  standsFor?(args: any): NamedCall;
  /** Resolves to what the model is told; throws for a failure, whose message the model is told. */
  run(run: ToolRun<any>): Promise<ToolResult>;
}

/** Sealed: a tool runs only by way of the host. */
export const Tools = many<Tool>(
  "tools",
  (tool: Tool) => {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
      return "has a name with other signs than letters, digits, _ and -";
    if (typeof tool.description !== "string" || !tool.description) return "has no description for the model";
    if (tool.input?.type !== "object") return "has no Type.Object() as its input";
    if (tool.deferred === true && tool.standsFor) return "is deferred and stands for deferred tools";
    return all(
      having("run"),
      mayHave("offered", "effects", "preview", "tryFirst", "standsFor"),
      hasScope,
    )(tool);
  },
  true,
);

/** A result as a filter leaves it; `found` says what was taken out, for the audit. */
export interface FilteredResult {
  readonly text: string;
  readonly found?: string;
}

/**
 * Takes out of a result what the model must not see. One that throws withholds the whole result.
 */
export interface ResultFilter {
  readonly name: string;
  filter(text: string, call: ToolCall): Awaitable<FilteredResult>;
}
export const ResultFilters = many<ResultFilter>("result-filters", having("filter"));

/** The type of a call's arguments: TypeBox's, or an object of anything for other schemas. */
export type ArgsOf<Input extends ToolInput> = Input extends TObject
  ? Static<Input>
  : Readonly<Record<string, unknown>>;

/**
 * Gives `run`, `effects` and `preview` the type of the tool's own schema. A tool is a value: test
 * it without a host.
 */
export function defineTool<Input extends ToolInput>(
  tool: Omit<Tool, "input" | "run" | "effects" | "preview" | "standsFor"> & {
    readonly input: Input;
    effects?(args: ArgsOf<Input>, context: EffectsContext): Awaitable<StatedEffects | "unknown">;
    preview?(args: ArgsOf<Input>, context: PreviewContext): Awaitable<string | Preview>;
    standsFor?(args: ArgsOf<Input>): NamedCall;
    run(run: ToolRun<ArgsOf<Input>>): Promise<ToolResult>;
  },
): Tool {
  return Object.freeze(tool);
}
