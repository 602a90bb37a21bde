import { AsyncLocalStorage } from "node:async_hooks";
import type { Readable, Writable } from "node:stream";
import { asError } from "@gantry/sdk/node";
import { type Frame, Frames } from "../shared/frames.ts";
import { itself } from "./itself.ts";
import { pack, packError } from "./packing.ts";
import type { Asking, Given } from "./asking.ts";
import { TakenSignals } from "./taken-signals.ts";
import type { Told } from "./told.ts";
import { unpack, unpackError } from "./unpacking.ts";
import type { Living, Work } from "./values.ts";

/** The work that each side may ask of the other before it was given any. */
const ROOT = 0;
const MOST_GIVEN = 200_000;
/** A question takes as much while it is answered, however short it is. */
const LEAST_HELD = 4_096;
const room = () => ({ text: 16 * 1024 * 1024, data: 64 * 1024 * 1024 });
/** Bytes of questions that are not answered yet, and of what the other side has not read yet. */
const MOST_HELD = 128 * 1024 * 1024;
/** Bytes of a message that brings no value. */
const MOST_TOLD = 64 * 1024;

const asked = new AsyncLocalStorage<number>();

/** One of two sides that ask each other over a stream, and hand each other functions to ask. */
export class Peer {
  readonly #keeps: boolean;
  readonly #from: Readable;
  readonly #to: Writable;
  readonly #frames: Frames<Told, Told>;
  readonly #works = new Map<number, Work>();
  readonly #signals = new Map<number, () => void>();
  readonly #taken = new TakenSignals();
  readonly #asking = new Map<number, Asking>();
  readonly #unused: FinalizationRegistry<{ readonly id: number; readonly given: Given | undefined }>;
  #last = ROOT;
  /** Bytes of what is being answered. */
  #held = 0;
  #ended: Error | undefined;
  /** When something came last, by `performance.now()`. */
  heard: number = performance.now();

  /**
   * `root`: what the other side may ask at once. `keeps`: functions that are handed over with a
   * question are there until the other side forgets them; else they go once it is answered.
   */
  constructor(from: Readable, to: Writable, root: Work, keeps = false) {
    this.#keeps = keeps;
    this.#from = from;
    this.#to = to;
    this.#works.set(ROOT, root);
    this.#unused = new FinalizationRegistry(({ id, given }) => {
      if (!this.#ended) this.#send({ do: "forget", works: [id], signals: [] });
      if (given) this.#leave(given);
    });
    this.#frames = new Frames<Told, Told>(from, to, (frame) => this.#take(frame), room);
  }

  /** Asks the root of the other side. Rejects with what it throws, and with the reason of `end`. */
  ask(...args: readonly unknown[]): Promise<unknown> {
    return this.#ask(ROOT, args);
  }

  /** Asks as `ask` does; its functions stay until the other side forgets them. */
  hand(...args: readonly unknown[]): Promise<unknown> {
    return this.#ask(ROOT, args, this.#living());
  }

  ping(): void {
    this.#send({ do: "ping" });
  }

  /** Fails whatever is asked now and later. */
  end(reason: Error): void {
    if (this.#ended) return;
    this.#ended = reason;
    for (const { reject, given } of this.#asking.values()) {
      given.users = 1;
      this.#leave(given);
      reject(reason);
    }
    this.#asking.clear();
    for (const leave of this.#signals.values()) leave();
    this.#taken.abortAll(reason);
  }

  #ask(work: number, args: readonly unknown[], kept?: Living): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const given: Given = { works: [], signals: [], users: 1 };
    // A function that is an argument itself is called later; one within goes with the answer.
    const packed = pack(args, kept ?? this.#living(given), kept ?? this.#living());
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#asking.set(id, { resolve, reject, given, asker: AsyncLocalStorage.snapshot() });
    this.#send({ do: "ask", id, work, within: asked.getStore(), args: packed.tree }, packed.bytes);
    return promise;
  }

  #take({ message: told, data: bytes, length }: Frame<Told>): void {
    this.heard = performance.now();
    if (length > MOST_TOLD && !["ask", "answer", "fail"].includes(told.do))
      throw new RangeError("a message is too long");
    switch (told.do) {
      case "ask":
        return void this.#serve(told, bytes, length);
      case "answer":
      case "fail":
        return this.#settle(told, bytes);
      case "abort":
        return this.#taken.abort(told.signal, unpackError(told.reason));
      case "forget":
        return this.#forget(told.works, told.signals);
      case "ping":
        return this.#send({ do: "pong" });
      case "pong":
        return;
      default:
        throw new TypeError("nothing that is said here");
    }
  }

  async #serve(
    { id, work, within, args }: Told & { do: "ask" },
    bytes: Uint8Array,
    length: number,
  ): Promise<void> {
    const taken: number[] = [];
    const asker = this.#asking.get(within ?? ROOT)?.asker ?? ((run) => run());
    try {
      this.#held += length + LEAST_HELD;
      if (this.#held > MOST_HELD) throw new RangeError("too much is asked at a time");
      const found = this.#works.get(work);
      if (!found) throw new TypeError("it was asked for after its time");
      const given = unpack({ tree: args, bytes }, this.#living(undefined, taken)) as readonly unknown[];
      const value = await asker(() => asked.run(id, () => found(...given)));
      const last = this.#last;
      const packed = pack(value, this.#living());
      // A stream in the answer may still be aborted: the asker forgets the signals once it is read.
      if (this.#last > last) taken.length = 0;
      this.#send({ do: "answer", id, value: packed.tree }, packed.bytes);
    } catch (error) {
      this.#send({ do: "fail", id, error: packError(asError(error)) });
    } finally {
      this.#held -= length + LEAST_HELD;
      this.#taken.forget(taken);
    }
  }

  #settle(told: Told & { do: "answer" | "fail" }, bytes: Uint8Array): void {
    const asking = this.#asking.get(told.id);
    if (!asking) throw new TypeError("an answer to nothing");
    this.#asking.delete(told.id);
    const { given, resolve, reject } = asking;
    try {
      if (told.do === "fail") reject(unpackError(told.error));
      else resolve(unpack({ tree: told.value, bytes }, this.#living(given)));
    } catch (error) {
      reject(asError(error));
      throw error;
    } finally {
      this.#leave(given);
    }
  }

  /**
   * `given`: what it gives goes with it, and is kept while what it takes is used. `taken`: gets the
   * numbers of the signals that it takes.
   */
  #living(given?: Given, taken?: number[]): Living {
    return {
      give: (work) => {
        if (this.#works.size > MOST_GIVEN) throw new RangeError("too much is given");
        const id = ++this.#last;
        this.#works.set(id, work);
        if (!this.#keeps) given?.works.push(id);
        return id;
      },
      giveSignal: (signal) => this.#giveSignal(signal, given),
      takeWork: (id) => this.#takeWork(id, given),
      takeSignal: (id) => {
        taken?.push(id);
        return this.#taken.take(id);
      },
    };
  }

  #giveSignal(signal: AbortSignal, given: Given | undefined): number {
    const id = ++this.#last;
    const abort = (): void =>
      this.#send({ do: "abort", signal: id, reason: packError(asError(signal.reason)) });
    // The question that brings it goes out first.
    if (signal.aborted) queueMicrotask(abort);
    else signal.addEventListener("abort", abort, { once: true });
    this.#signals.set(id, () => signal.removeEventListener("abort", abort));
    given?.signals.push(id);
    return id;
  }

  #takeWork(id: number, given: Given | undefined): Work {
    if (!Number.isSafeInteger(id)) throw new TypeError("no work");
    const work: Work = (...args) => {
      const answer = this.#ask(id, args);
      if (given) {
        given.users++;
        answer.then(
          () => this.#leave(given),
          () => this.#leave(given),
        );
      }
      return itself(answer);
    };
    if (given) given.users++;
    this.#unused.register(work, { id, given });
    return work;
  }

  #leave(given: Given): void {
    if (--given.users > 0) return;
    const { works, signals } = given;
    for (const id of works) this.#works.delete(id);
    for (const id of signals) {
      this.#signals.get(id)?.();
      this.#signals.delete(id);
    }
    if (signals.length > 0 && !this.#ended) this.#send({ do: "forget", works: [], signals });
  }

  /** The other side uses these no more. */
  #forget(works: readonly number[], signals: readonly number[]): void {
    for (const id of works) if (id !== ROOT) this.#works.delete(id);
    this.#taken.forget(signals);
  }

  #send(told: Told, bytes?: Uint8Array): void {
    if (this.#ended) return;
    this.#frames.send(told, bytes);
    if (this.#to.writableLength > MOST_HELD) this.#from.destroy(new Error("it does not read"));
  }
}
