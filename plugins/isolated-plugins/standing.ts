import { isDeepStrictEqual } from "node:util";
import type { AnySlot, Awaitable, HookName, PluginHost } from "@gantry/sdk";
import type { TapOptions } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import { itself } from "./itself.ts";
import { passing, slotOf, STARTED } from "./slots.ts";
import type { Work } from "./values.ts";

/** A value of a slot as the service has it; its functions ask the process that runs now. */
interface Standing {
  /** Undefined while no process runs that has given it. */
  work: Readonly<Record<string, Work>> | undefined;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly functions: readonly string[];
  readonly withdraw: () => void;
}

/** A tap as the service has it. */
interface StandingTap {
  work: Work | undefined;
}

/** No plugin has more tools, commands, routes and taps together. */
const MOST = 1_000;

/** All that a plugin's processes, one after another, have registered with the service. */
export class StandIns {
  readonly #host: PluginHost;
  /** Why nothing can be asked now. */
  readonly #down: () => Error;
  readonly #values = new Map<string, Standing>();
  readonly #taps = new Map<HookName, StandingTap[]>();
  /** Keys of the values that the present process has given, by its numbers. */
  readonly #given = new Map<unknown, string>();
  #tapped: HookName[] = [];
  /** The keys of the services that run. */
  readonly #started = new Set<string>();

  constructor(host: PluginHost, down: () => Error) {
    this.#host = host;
    this.#down = down;
  }

  /** Until another process has registered something, nothing of it answers. */
  down(): void {
    for (const standing of this.#values.values()) standing.work = undefined;
    for (const taps of this.#taps.values()) for (const tap of taps) tap.work = undefined;
    this.#given.clear();
    this.#tapped = [];
  }

  /** Takes out what an earlier process gave and the one that runs now does not. */
  settle(): void {
    for (const [key, standing] of this.#values) if (!standing.work) this.#withdraw(key);
  }

  /** Starts the services again that ran in the process before. */
  async startAgain(): Promise<void> {
    for (const key of this.#started) await this.#values.get(key)?.work?.["start"]?.();
  }

  provide(number: unknown, id: string, value: unknown): void {
    this.#bound();
    const slot = slotOf(id);
    if (!slot || !Object.hasOwn(passing, id)) throw errors.ISOLATED_SLOT(this.#host.name, "provides", id);
    const { facts, work } = this.#parts(slot, value);
    const functions = Object.keys(work);
    const key = `${id} ${String(facts["name"])}`;
    const known = this.#values.get(key);
    if (
      known &&
      !known.work &&
      isDeepStrictEqual(known.facts, facts) &&
      sameNames(known.functions, functions)
    )
      known.work = work;
    else {
      if (known && !known.work) this.#withdraw(key);
      this.#values.set(key, this.#stand(slot, key, facts, work));
    }
    this.#given.set(number, key);
  }

  withdraw(number: unknown): void {
    const key = this.#given.get(number);
    if (key !== undefined) this.#withdraw(key);
    this.#given.delete(number);
  }

  tap(hook: HookName, options: TapOptions | undefined, work: Work): void {
    this.#bound();
    const taps = this.#taps.get(hook) ?? [];
    this.#taps.set(hook, taps);
    const known = taps[this.#tapped.filter((one) => one === hook).length];
    this.#tapped.push(hook);
    if (known) {
      known.work = work;
      return;
    }
    const tap: StandingTap = { work };
    const handler = (arg: never): Awaitable<any> => (tap.work ? tap.work(arg) : this.#refused());
    this.#host.hooks[hook].tap(handler, options);
    taps.push(tap);
  }

  /** Each takes memory of the service. */
  #bound(): void {
    if (this.#values.size + this.#tapped.length >= MOST)
      throw errors.ISOLATED_SLOT(this.#host.name, "registers", `more than ${MOST} things`);
  }

  #stand(
    slot: AnySlot,
    key: string,
    facts: Standing["facts"],
    work: Readonly<Record<string, Work>>,
  ): Standing {
    const functions = Object.keys(work);
    const asks = functions.map((name) => {
      const ask: Work = (...args) => {
        if (slot.id === STARTED) this.#started[name === "start" ? "add" : "delete"](key);
        return standing.work?.[name]?.(...args) ?? this.#refused();
      };
      return [name, ask] as const;
    });
    const value = Object.freeze({ ...facts, ...Object.fromEntries(asks) });
    const withdraw = this.#host.provide(slot, value);
    const standing: Standing = { work, facts, functions, withdraw };
    return standing;
  }

  #parts(slot: AnySlot, value: unknown): Pick<Standing, "facts"> & { work: Record<string, Work> } {
    const [facts, work]: [Record<string, unknown>, Record<string, Work>] = [{}, {}];
    for (const [name, member] of Object.entries(Object(value) as object)) {
      const way = passing[slot.id]![name];
      if (typeof member !== "function") facts[name] = member;
      else if (way === "at once") throw errors.ISOLATED_MEMBER(this.#host.name, `${name}()`, slot.id);
      // Nobody asks a function that the slot does not know.
      else if (way) work[name] = member as Work;
    }
    return { facts, work };
  }

  #withdraw(key: string): void {
    this.#values.get(key)?.withdraw();
    this.#values.delete(key);
  }

  #refused(): unknown {
    return itself(Promise.reject(this.#down()));
  }
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return isDeepStrictEqual(one.toSorted(), other.toSorted());
}
