import { errors } from "./errors.ts";

/** Open WebSockets at a time: of one token, and of one address. */
const most = { token: 16, address: 64 };

/** Counts open WebSockets by who holds them. */
export class SocketBound {
  readonly #open = new Map<string, number>();

  /** Counts one more and returns what ends it. Throws GATEWAY_SOCKETS and counts nothing beyond the bounds. */
  take(address: string, token: string | undefined): () => void {
    const bounds = new Map([[`address ${address}`, most.address]]);
    if (token !== undefined) bounds.set(`token ${token}`, most.token);
    for (const [holder, bound] of bounds)
      if (this.#count(holder) >= bound)
        throw errors.GATEWAY_SOCKETS(bound, holder.split(" ", 1)[0] as string);
    for (const holder of bounds.keys()) this.#open.set(holder, this.#count(holder) + 1);
    return () => {
      for (const holder of bounds.keys()) this.#less(holder);
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
