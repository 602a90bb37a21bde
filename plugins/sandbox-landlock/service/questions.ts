import type { Socket } from "node:net";
import { Asked, type Hearing } from "./asked.ts";
import type { Room } from "../../shared/frames.ts";
import type { Request } from "../messages.ts";

interface Facts {
  /** Most milliseconds from a run's end to its answer. */
  readonly lateMs: number;
  /** Called if it takes longer. */
  late(): void;
  pipes(): readonly Socket[];
}

/** The open requests to one confined process; a message about anything else is refused. */
export class Questions {
  readonly #facts: Facts;
  readonly #asked = new Map<number, Asked>();
  #last = 0;

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  ask(request: Request, hearing: Hearing): readonly [id: number, asked: Asked] {
    const id = ++this.#last;
    const asked = new Asked(request, hearing, this.#facts.lateMs, this.#facts.late);
    this.#asked.set(id, asked);
    return [id, asked];
  }

  /** True while somebody waits for an answer. */
  get areOpen(): boolean {
    return [...this.#asked.values()].some(({ isAwaited }) => isAwaited);
  }

  /** True if a file operation that was given up does not come back. */
  get areStuck(): boolean {
    return [...this.#asked.values()].some(({ isStuck }) => isStuck);
  }

  /** For a message, before it is known what it answers. */
  get room(): Room {
    const rooms = [...this.#asked.values()].map(({ room }) => room);
    return {
      text: Math.max(0, ...rooms.map(({ text }) => text)),
      data: Math.max(0, ...rooms.map(({ data }) => data)),
    };
  }

  /** Takes a message. Returns false if it does not answer an open request. */
  hear(message: unknown, data: Uint8Array): boolean {
    const { id } = Object(message) as { readonly id?: unknown };
    const asked = this.#asked.get(id as number);
    const heard = asked?.hear(message, data, this.#facts.pipes) ?? "wrong";
    if (heard === "over") this.#asked.delete(id as number);
    return heard !== "wrong";
  }

  /** Fails all open requests. */
  fail(error: Error): void {
    for (const asked of this.#asked.values()) asked.fail(error);
    this.#asked.clear();
  }
}
