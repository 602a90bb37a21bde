import type { Socket } from "node:net";
import type { Untried } from "@gantry/sdk";
import type { Room } from "../../shared/frames.ts";
import { isFault, isStarted, roomFor, valueOf } from "./answers.ts";
import { ConfinedFault } from "./failures.ts";
import type { Fault, Request, Results } from "../messages.ts";
import type { Held } from "../view/held.ts";
import type { ToHold } from "../view/keeper-facts.ts";

export interface Outcome<K extends Request["do"]> {
  readonly value: Results[K];
  readonly data: Uint8Array;
}

/** Callbacks to whoever asked, before a run is over. */
export interface Hearing {
  /** Called with what it will have written, before any of that is in the workspace. */
  wrote?(paths: readonly string[]): Promise<void>;
  /** Called once its program runs, with this side of its pipes. */
  started?(pipes: readonly Socket[]): void;
  /**
   * Holds the changes of its view until somebody decides on them; `done` gets the result of holding
   * them.
   */
  readonly hold?: ToHold & { done(held: Held | Untried | undefined): void };
}

type Heard = "wrong" | "more" | "over";

/** A file operation that was given up and does not come back holds the process. */
const STUCK_MS = 1_000;
/** Looking through a workspace takes longer than ending a run. */
const LONGER = 4;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A request to a confined process until it is answered: the answers that are allowed, and their
 * deadline.
 */
export class Asked {
  readonly request: Request;
  readonly #hearing: Hearing;
  readonly #lateMs: number;
  readonly #late: () => void;
  readonly #answer = Promise.withResolvers<Outcome<Request["do"]>>();
  #timer: NodeJS.Timeout | undefined;
  #sent = 0;
  #hasStarted = false;
  #isEnding = false;
  #givenUp: number | undefined;

  /** `late`: called if there is no answer `lateMs` after there must be one. */
  constructor(request: Request, hearing: Hearing, lateMs: number, late: () => void) {
    this.request = request;
    this.#hearing = hearing;
    this.#lateMs = lateMs;
    this.#late = late;
  }

  /** Waits for the answer. `sent`: bytes of the request as JSON. */
  async answer(sent: number): Promise<Outcome<Request["do"]>> {
    this.#sent = sent;
    this.#expect(this.#withinMs());
    return this.#answer.promise;
  }

  /** True while somebody waits for it. */
  get isAwaited(): boolean {
    return this.#givenUp === undefined;
  }

  get isStuck(): boolean {
    return this.#givenUp !== undefined && performance.now() - this.#givenUp >= STUCK_MS;
  }

  /** Ends the request now; what runs ends first, and anything else is left alone. */
  abort(reason: unknown): void {
    if (this.request.do === "run") {
      this.#isEnding = true;
      return this.#expect(this.#lateMs);
    }
    this.#givenUp = performance.now();
    this.fail(reason);
  }

  fail(reason: unknown): void {
    clearTimeout(this.#timer);
    this.#answer.reject(reason);
  }

  get room(): Room {
    return roomFor(this.request, this.#sent);
  }

  /** Returns "wrong" if it does not fit. */
  hear(message: unknown, data: Uint8Array, pipes: () => readonly Socket[]): Heard {
    if (isStarted(message)) return this.#start(data, pipes);
    if (isFault(message)) {
      if (data.length > 0) return "wrong";
      this.fail(new ConfinedFault((message as { readonly fault: Fault }).fault));
      return "over";
    }
    const value = valueOf(this.request, message, data);
    if (!value) return "wrong";
    clearTimeout(this.#timer);
    this.#answer.resolve({ value, data });
    return "over";
  }

  #start(data: Uint8Array, pipes: () => readonly Socket[]): Heard {
    const { request } = this;
    if (request.do !== "run" || request.pipes === undefined || this.#hasStarted || data.length > 0)
      return "wrong";
    this.#hasStarted = true;
    if (!this.#isEnding) clearTimeout(this.#timer);
    this.#hearing.started?.(pipes());
    return "more";
  }

  /** Returns the time for the answer; undefined: as long as it likes. */
  #withinMs(): number | undefined {
    const { request } = this;
    if (request.do !== "run" || request.pipes !== undefined) return LONGER * this.#lateMs;
    return request.timeoutMs === undefined ? undefined : request.timeoutMs + this.#lateMs;
  }

  #expect(withinMs: number | undefined): void {
    clearTimeout(this.#timer);
    if (withinMs !== undefined) this.#timer = setTimeout(this.#late, Math.min(withinMs, MAX_TIMER_MS));
  }
}
