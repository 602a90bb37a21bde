import type { ToolProgress } from "../tools/tool-run.ts";

/** Between two steps that are told. */
const leastMs = 100;
/** Far more than is shown, so that a secret is whole when it is taken out. */
const maxText = 2_000;

/** Passes the steps of one running tool on, the newest of those that come too fast. */
export class ToldProgress {
  readonly #tell: (step: ToolProgress) => void;
  #next: number = 0;
  #newest: ToolProgress | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (step: ToolProgress) => void) {
    this.#tell = tell;
  }

  step(step: ToolProgress): void {
    this.#newest = step;
    if (this.#timer) return;
    const now = performance.now();
    if (now >= this.#next) return this.#pass(now);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pass(performance.now());
    }, this.#next - now);
    this.#timer.unref();
  }

  /** Tells nothing more of what came too fast. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #pass(now: number): void {
    this.#next = now + leastMs;
    const step = readStep(this.#newest);
    if (step) this.#tell(step);
  }
}

/** Reads a step as any plugin may have made it; undefined if it tells nothing. */
function readStep(given: unknown): ToolProgress | undefined {
  const { done, total, text } = (given ?? {}) as Record<string, unknown>;
  if (!isAmount(done)) return undefined;
  return {
    done,
    ...(isAmount(total) && { total }),
    ...(typeof text === "string" && { text: text.slice(0, maxText) }),
  };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
