import type { Socket } from "node:net";
import { Asked, type Hearing } from "./asked.ts";
import type { Room } from "../frames.ts";
import type { Request } from "../messages.ts";

interface Facts {
  /** How long after its end a run's answer may take. */
  readonly lateMs: number;
  /** Called where it takes longer. */
  late(): void;
  pipes(): readonly Socket[];
}

/** What was asked of one confined process and is not answered yet: nothing else is listened to. */
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

  /** True where a file operation that was given up does not come back. */
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

  /** False for what is no answer to anything that was asked. */
  hear(message: unknown, data: Uint8Array): boolean {
    const { id } = Object(message) as { readonly id?: unknown };
    const asked = this.#asked.get(id as number);
    const heard = asked?.hear(message, data, this.#facts.pipes) ?? "wrong";
    if (heard === "over") this.#asked.delete(id as number);
    return heard !== "wrong";
  }

  /** All that is open is lost. */
  fail(error: Error): void {
    for (const asked of this.#asked.values()) asked.fail(error);
    this.#asked.clear();
  }
}
