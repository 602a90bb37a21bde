import type { GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** Most at a time, by the kind of holder. */
type Most = Readonly<Partial<Record<"token" | "address", number>>>;

/** Something may end at any time. */
const retrySeconds = 1;

/** Counts what is open by who holds it: WebSockets, and requests whatever their route. */
export class OpenBound {
  readonly #most: Most;
  readonly #refusal: (most: number, kind: string) => GantryError;
  readonly #open = new Map<string, number>();

  private constructor(most: Most, refusal: (most: number, kind: string) => GantryError) {
    this.#most = most;
    this.#refusal = refusal;
  }

  static ofSockets(): OpenBound {
    return new OpenBound({ token: 16, address: 64 }, errors.GATEWAY_SOCKETS);
  }

  /** Counts the work of a token that any door has taken in; its connections bound an address. */
  static ofRequests(): OpenBound {
    return new OpenBound({ token: 256 }, errors.GATEWAY_UNDER_WAY);
  }

  /** Counts one more; what it returns ends that. Throws beyond a bound, and counts nothing then. */
  take(address: string, token: string | undefined): () => void {
    const kinds = Object.entries({ token, address } as const).flatMap(([kind, name]) => {
      const most = this.#most[kind as keyof Most];
      return name === undefined || most === undefined ? [] : [{ kind, most, holder: `${kind} ${name}` }];
    });
    for (const { kind, most, holder } of kinds)
      if (this.#count(holder) >= most)
        throw Object.assign(this.#refusal(most, kind), { retryAfter: retrySeconds });
    for (const { holder } of kinds) this.#open.set(holder, this.#count(holder) + 1);
    return () => {
      for (const { holder } of kinds.splice(0)) this.#less(holder);
    };
  }

  #count(holder: string): number {
    return this.#open.get(holder) ?? 0;
  }

  #less(holder: string): void {
    const left = this.#count(holder) - 1;
    if (left > 0) this.#open.set(holder, left);
    else this.#open.delete(holder);
  }
}
