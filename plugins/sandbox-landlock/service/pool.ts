import type { Hearing, Outcome } from "./asked.ts";
import type { ConfinedProcess } from "./confined-process.ts";
import { ConfinedFault } from "./failures.ts";
import type { Request } from "../messages.ts";
import type { Views } from "../view/views.ts";

/** Milliseconds that the last process stays for the next call; the others stay less. */
const KEEP_MS = 60_000;
const KEEP_MORE_MS = 5_000;
/** A workspace in which new secret files turn up faster than that cannot be held. */
const MAX_STALE = 5;

interface Member {
  readonly process: ConfinedProcess;
  busy: boolean;
  /** File requests under way. */
  files: number;
  /** Milliseconds that it spent on work that it does alone. */
  spentMs: number;
  /** True if its masks do not fit the workspace any more. */
  stale: boolean;
  timer?: NodeJS.Timeout;
}

export interface PoolOptions {
  readonly start: () => Promise<ConfinedProcess>;
  /** Most runs, or searches, at a time; more wait. */
  readonly most: number;
  /** Undefined: runs work in the workspace itself. */
  readonly views?: Views | undefined;
  /** After so much work another process takes its place. */
  readonly mostMs?: number;
}

/**
 * Confined processes: each serves one run or search at a time, so that no two share anything. Files
 * are opened by any of them.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #members = new Set<Member>();
  /** Starts and ends under way. */
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #first: Promise<Member> | undefined;
  /** The number of runs, or searches, under way. */
  #runs = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Throws ConfinedFault, what a start throws, and the signal's reason. */
  async request<K extends Request["do"]>(
    request: Extract<Request, { do: K }>,
    signal: AbortSignal,
    hearing?: Hearing,
  ): Promise<Outcome<K>> {
    if (request.do !== "run" && request.do !== "search") return this.#open<K>(request, signal);
    while (this.#runs >= this.#options.most) await this.#turn(signal);
    this.#runs++;
    try {
      return await this.#run<K>(request, signal, hearing);
    } finally {
      this.#runs--;
      this.#waiting.shift()?.();
    }
  }

  /** Ends all of them, and what is just starting. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const member of this.#members) void this.#end(member);
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  async #open<K extends Request["do"]>(
    request: Extract<Request, { do: K }>,
    signal: AbortSignal,
  ): Promise<Outcome<K>> {
    const member = await this.#any();
    clearTimeout(member.timer);
    member.files++;
    try {
      return await member.process.request<K>(request, signal);
    } finally {
      member.files--;
      this.#rest(member);
    }
  }

  /** Waits for a turn; whoever gives up waiting takes nobody's turn. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(signal.reason);
      };
      this.#waiting.push(take);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  async #run<K extends Request["do"]>(
    request: Extract<Request, { do: K }>,
    signal: AbortSignal,
    hearing?: Hearing,
  ): Promise<Outcome<K>> {
    const { views } = this.#options;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      // Whatever made one process stale has made others stale too.
      const member = attempt === 1 ? await this.#idle() : take(await this.#add());
      const began = performance.now();
      try {
        if (request.do !== "run" || !views) return await member.process.request<K>(request, signal, hearing);
        const run = request as Extract<Request, { do: "run" }>;
        return (await views.run(member.process, run, signal, hearing)) as Outcome<K>;
      } catch (error) {
        member.stale ||= isStale(error);
        if (!isStale(error) || attempt === MAX_STALE) throw error;
      } finally {
        member.busy = false;
        member.spentMs += performance.now() - began;
        this.#rest(member);
      }
    }
  }

  /** Returns any process that can open files, whether it runs something or not. */
  async #any(): Promise<Member> {
    const usable = [...this.#members].find(isUsable);
    if (usable) return usable;
    const starting = (this.#first ??= this.#add());
    try {
      return await starting;
    } finally {
      if (this.#first === starting) this.#first = undefined;
    }
  }

  /** Takes a process that runs nothing. */
  async #idle(): Promise<Member> {
    const starting = await this.#first?.catch(() => undefined);
    const idle = [...this.#members].find((one) => !one.busy && isUsable(one));
    return take(idle ?? (starting && !starting.busy ? starting : await this.#add()));
  }

  #add(): Promise<Member> {
    return this.#track(this.#begin());
  }

  async #begin(): Promise<Member> {
    const member: Member = {
      process: await this.#options.start(),
      busy: false,
      files: 0,
      spentMs: 0,
      stale: false,
    };
    if (!this.#closed) {
      this.#members.add(member);
      return member;
    }
    await this.#end(member);
    throw new Error("the sandbox is closed");
  }

  /** Ends an idle process after a while, and a broken one at once. */
  #rest(member: Member): void {
    if (!this.#members.has(member) || member.busy) return;
    if (!member.process.usable || this.#closed) return void this.#end(member);
    if (member.files > 0) return;
    if (member.stale || member.spentMs > (this.#options.mostMs ?? Infinity)) return void this.#end(member);
    const others = [...this.#members].filter((other) => other !== member && !other.busy);
    clearTimeout(member.timer);
    member.timer = setTimeout(() => void this.#end(member), others.length > 0 ? KEEP_MORE_MS : KEEP_MS);
    member.timer.unref();
  }

  #end(member: Member): Promise<void> {
    clearTimeout(member.timer);
    this.#members.delete(member);
    return this.#track(member.process.close());
  }

  async #track<T>(what: Promise<T>): Promise<T> {
    this.#underWay.add(what);
    try {
      return await what;
    } finally {
      this.#underWay.delete(what);
    }
  }
}

function take(member: Member): Member {
  clearTimeout(member.timer);
  member.busy = true;
  return member;
}

const isUsable = ({ process, stale }: Member): boolean => process.usable && !stale;

const isStale = (error: unknown): boolean => error instanceof ConfinedFault && error.fault.fault === "stale";
