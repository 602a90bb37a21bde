import { randomUUID } from "node:crypto";
import type { OpenCall } from "./open-call.ts";
import type { Peer } from "./peer.ts";
import type { OpenQuestion } from "./questions.ts";

/** An answer that was given in time may be under way for so long. */
const graceMs = 5_000;

/** A call whose question is at its client. */
export interface Parked {
  readonly call: OpenCall;
  readonly peer: string;
  readonly tool: string;
  readonly question: string;
}

interface Kept extends Parked {
  readonly timer: NodeJS.Timeout;
}

/**
 * The calls that wait for their clients to come back, by words that only their clients know. Each
 * has an open question, and who asks is what bounds these.
 */
export class ParkedCalls {
  readonly #kept = new Map<string, Kept>();

  /** Returns the words by which the client comes back, once. */
  park(call: OpenCall, peer: Peer, tool: string, question: OpenQuestion): string {
    const state = randomUUID();
    const left = Math.max(0, question.expires - Date.now()) + graceMs;
    const timer = setTimeout(() => this.#drop(state), left).unref();
    this.#kept.set(state, { call, peer: peer.id, tool, question: question.id, timer });
    return state;
  }

  /** True if this peer may come back by these words. */
  isKnown(state: string, peer: Peer): boolean {
    return this.#kept.get(state)?.peer === peer.id;
  }

  /**
   * Returns the call that a client comes back to; undefined if there is none of that tool for it.
   */
  take(state: string, peer: Peer, tool: string): Parked | undefined {
    const kept = this.#kept.get(state);
    if (kept?.peer !== peer.id || kept.tool !== tool) return undefined;
    clearTimeout(kept.timer);
    this.#kept.delete(state);
    return kept;
  }

  #drop(state: string): void {
    this.#kept.get(state)?.call.stop();
    this.#kept.delete(state);
  }
}
