import tapable from "tapable";
import {
  GantryError,
  refuse,
  type HookName,
  type Hooks,
  type Logger,
  type GuardOpinion,
  type Provider,
  type Question,
  type Refusal,
} from "@gantry/sdk";
import { hookKinds, type TapOptions } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import { asError, isPromise, withTimeout } from "@gantry/sdk/node";
import { runAs } from "./attribution.ts";

const stages = { early: -1, normal: 0, late: 1 };
const defaultTimeoutMs = 10_000;

interface Tap {
  readonly hook: HookName;
  readonly plugin: string;
  readonly options: TapOptions;
  readonly handler: (arg: any) => unknown;
}

/** One run through a hook: its argument, the answers so far, and whether a refusal ends it. */
interface Run {
  readonly arg: unknown;
  readonly opinions: GuardOpinion[];
  readonly everyone: boolean;
}
type Compiled = tapable.AsyncSeriesBailHook<[Run], unknown>;

/** The list of taps is the truth: each change compiles the hook again, as tapable cannot untap. */
export class HookTable {
  #taps: readonly Tap[] = [];
  #isEnding = false;
  readonly #compiled = new Map<HookName, Compiled>();
  readonly #log: Logger;
  readonly #timeoutMs: number;

  constructor(log: Logger, timeoutMs: number = defaultTimeoutMs) {
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  /** Gives the function that takes the tap away again. */
  add(plugin: string, hook: HookName, handler: (arg: any) => unknown, options: TapOptions = {}): () => void {
    const tap: Tap = Object.freeze({ hook, plugin, options: Object.freeze({ ...options }), handler });
    this.#taps = [...this.#taps, tap];
    this.#compiled.delete(hook);
    return () => {
      this.#taps = this.#taps.filter((other) => other !== tap);
      this.#compiled.delete(hook);
    };
  }

  has(plugin: string, hook: HookName): boolean {
    return this.#taps.some((tap) => tap.plugin === plugin && tap.hook === hook);
  }

  list(): readonly { readonly hook: HookName; readonly plugin: string }[] {
    return this.#taps.map(({ hook, plugin }) => ({ hook, plugin }));
  }

  /** Lets no tool call pass from now on: guards leave while a call may still be under way. */
  end(): void {
    this.#isEnding = true;
  }

  /** Asks the guards: the first refusal, else every question, else nothing. */
  async guard(
    hook: "beforeToolCall" | "onInboundMessage",
    arg: Parameters<Hooks[typeof hook]>[0],
  ): Promise<Refusal | readonly Question[]> {
    if (this.#isEnding && hook === "beforeToolCall") return refuse(errors.TURN_CANCELLED());
    const run: Run = { arg, opinions: [], everyone: false };
    const refusal = (await this.#hook(hook).promise(run)) as Refusal | undefined;
    return refusal ?? run.opinions.map(({ outcome: answer }) => answer as Question);
  }

  /** Asks every guard, the late ones too, and gives each one's word. */
  async explain(arg: Parameters<Hooks["beforeToolCall"]>[0]): Promise<readonly GuardOpinion[]> {
    const run: Run = { arg, opinions: [], everyone: true };
    await this.#hook("beforeToolCall").promise(run);
    return run.opinions;
  }

  /** The first provider that answers; a throw ends the turn with the plugin's name. */
  async first(
    arg: Parameters<Hooks["resolveProvider"]>[0],
  ): Promise<Awaited<ReturnType<Hooks["resolveProvider"]>>> {
    return (await this.#hook("resolveProvider").promise({ arg, opinions: [], everyone: false })) as Awaited<
      ReturnType<Hooks["resolveProvider"]>
    >;
  }

  async tell(arg: Parameters<Hooks["onAuditEvent"]>[0]): Promise<void> {
    await this.#hook("onAuditEvent").promise({ arg, opinions: [], everyone: false });
  }

  #hook(hook: HookName): Compiled {
    const known = this.#compiled.get(hook);
    if (known) return known;
    const compiled: Compiled = new tapable.AsyncSeriesBailHook(["run"], hook);
    for (const tap of this.#taps) {
      if (tap.hook === hook) {
        compiled.tapPromise({ name: tap.plugin, stage: stages[tap.options.order ?? "normal"] }, (run) =>
          this.#run(tap, run),
        );
      }
    }
    this.#compiled.set(hook, compiled);
    return compiled;
  }

  /** Its result ends the series: a refusal or a provider, never an answer of another shape. */
  async #run(tap: Tap, run: Run): Promise<unknown> {
    const kind = hookKinds[tap.hook];
    try {
      const answer = await this.#answer(tap, run.arg);
      if (kind === "tell") return undefined;
      if (kind === "first") return readProvider(answer);
      const verdict = readVerdict(tap, answer);
      if (run.everyone || verdict?.verdict === "ask") run.opinions.push({ by: tap.plugin, outcome: verdict });
      return run.everyone || verdict?.verdict !== "refuse" ? undefined : verdict;
    } catch (error) {
      // A provider's own word on its configuration ends the turn, which tells it.
      if (kind === "first" && error instanceof GantryError) throw error;
      const failure = asFailure(tap, error);
      this.#log.error(
        { code: failure.code, plugin: tap.plugin, hook: tap.hook, err: failure },
        failure.message,
      );
      if (kind === "first") throw errors.PROVIDER_PLUGIN_FAILED(tap.plugin, asError(error));
      if (kind === "tell") return undefined;
      const refusal = refuse(failure);
      if (run.everyone) run.opinions.push({ by: tap.plugin, outcome: refusal });
      return run.everyone ? undefined : refusal;
    }
  }

  async #answer(tap: Tap, arg: unknown): Promise<unknown> {
    const answer = runAs(tap.plugin, () => tap.handler(arg));
    if (!isPromise(answer)) return answer;
    const ms = tap.options.timeoutMs ?? this.#timeoutMs;
    return withTimeout(ms, answer, () => errors.HOOK_TIMEOUT(tap.plugin, tap.hook, ms));
  }
}

/** Throws for what is neither a provider nor nothing. */
function readProvider(answer: unknown): Provider | undefined {
  if (answer === undefined || answer === null) return undefined;
  const { name, capabilities, chat } = answer as Partial<Provider>;
  if (typeof name === "string" && typeof capabilities === "object" && typeof chat === "function")
    return answer as Provider;
  throw new Error("it answered resolveProvider with something that is no provider.");
}

/** Reads a verdict strictly, since types are gone by then; copies it, so that it cannot change. */
function readVerdict(tap: Tap, answer: unknown): Refusal | Question | undefined {
  if (answer === undefined) return undefined;
  const { verdict, code, reason } = (answer ?? {}) as Partial<Refusal | Question>;
  const known = verdict === "refuse" || (verdict === "ask" && tap.hook === "beforeToolCall");
  if (known && typeof code === "string" && typeof reason === "string")
    return Object.freeze({ verdict, code, reason }) as Refusal | Question;
  throw errors.HOOK_BAD_ANSWER(
    tap.plugin,
    tap.hook,
    answer === null ? "null" : typeof answer === "object" ? "another object" : typeof answer,
  );
}

function asFailure(tap: Tap, error: unknown): GantryError {
  const known = error as GantryError;
  return known?.code === "HOOK_TIMEOUT" || known?.code === "HOOK_BAD_ANSWER"
    ? known
    : errors.HOOK_FAILED(tap.plugin, tap.hook, asError(error));
}
