import { laneOf, type Claim } from "@gantry/sdk";

/** A model that says nothing for so long, to anybody, is asked the least that can be asked. */
const silentMs = 10_000;
/** Once it speaks again, whoever still waits from before has so long left. */
const leftMs = 5_000;
/** So many messages are remembered that were cut off once. */
const mostCut = 1_000;

interface Waiting {
  /** By `performance.now()`. */
  readonly begunAt: number;
  readonly cut: AbortController;
  ending?: NodeJS.Timeout;
}

export interface SilenceDeps {
  /** True once the model that this message is for says anything; the signal ends it. */
  readonly asks: (claim: Claim, signal: AbortSignal) => Promise<boolean>;
  /** The model had stopped to answer, and answers again. */
  readonly spoke: () => Promise<void>;
}

/**
 * Messages for which the model has said nothing yet. One that thinks for long answers a small question beside it, and is
 * left alone. One that hangs does not: when it speaks again, what it was asked before is lost, and is asked once more.
 */
export class Silences {
  readonly #deps: SilenceDeps;
  readonly #waiting = new Map<Claim, Waiting>();
  readonly #cutOnce = new Set<string>();
  #spokeAt = -Infinity;
  /** It was asked in vain since it last spoke. */
  #hung = false;
  #question = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: SilenceDeps) {
    this.#deps = deps;
  }

  /** A message is about to be put to the model. The signal is aborted where it has to be put once more. */
  begin(claim: Claim): AbortSignal {
    const cut = new AbortController();
    this.#waiting.set(claim, { begunAt: performance.now(), cut });
    this.#timer ??= setTimeout(() => this.#look(), silentMs);
    return cut.signal;
  }

  /** The model has begun to answer this message. */
  heard(claim: Claim): void {
    if (!this.#waiting.has(claim)) return;
    this.end(claim);
    this.#spoke();
  }

  /** Nobody waits for the answer any longer, whatever became of it. */
  end(claim: Claim): void {
    clearTimeout(this.#waiting.get(claim)?.ending);
    this.#waiting.delete(claim);
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#question.abort();
  }

  #look(): void {
    this.#timer = setTimeout(() => this.#look(), silentMs);
    const now = performance.now();
    const silent = [...this.#waiting].find(([, { begunAt }]) => now - begunAt >= silentMs);
    if (silent && (this.#hung || this.#spokeAt < silent[1].begunAt)) void this.#ask(silent[0]);
  }

  async #ask(claim: Claim): Promise<void> {
    this.#question.abort();
    const question = new AbortController();
    this.#question = question;
    // The next look finds nobody who has answered.
    const late = setTimeout(() => (this.#hung = true), silentMs - 1);
    const answers = await this.#deps.asks(claim, question.signal).catch(() => false);
    clearTimeout(late);
    if (answers) this.#spoke();
  }

  #spoke(): void {
    this.#spokeAt = performance.now();
    if (!this.#hung) return;
    this.#hung = false;
    for (const [{ message }, waiting] of this.#waiting) {
      const key = JSON.stringify([laneOf(message), message.id]);
      if (this.#cutOnce.has(key)) continue;
      waiting.ending ??= setTimeout(() => {
        if (this.#cutOnce.size >= mostCut) this.#cutOnce.clear();
        this.#cutOnce.add(key);
        waiting.cut.abort();
      }, leftMs);
    }
    void this.#deps.spoke().catch(() => {});
  }
}
