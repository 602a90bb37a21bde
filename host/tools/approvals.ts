import { randomBytes } from "node:crypto";
import type { ApprovalRequest, Approvals as ApprovalsSlot } from "@gantry/sdk";

export type Answer =
  | { readonly decision: "allow" | "deny"; readonly by: string }
  | { readonly decision: "expired" | "cancelled" };

interface Open {
  readonly request: ApprovalRequest;
  readonly settle: (answer: Answer) => void;
}

/** Decided ids are remembered, so that a second answer is told apart from an unknown question. */
const maxDecided = 1_000;

/** Open questions live in this process only: a restart denies them all. */
export class Approvals implements ApprovalsSlot {
  readonly #open = new Map<string, Open>();
  readonly #decided = new Set<string>();
  readonly waitMs: number;

  constructor(waitMs: number) {
    this.waitMs = waitMs;
  }

  pending(): readonly ApprovalRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  decide(id: string, decision: string, by: string): "done" | "decided" | "unknown" {
    const open = this.#open.get(id);
    if (!open) return this.#decided.has(id) ? "decided" : "unknown";
    open.settle({ decision: decision === "allow" ? "allow" : "deny", by });
    return "done";
  }

  /** True where a question whose id begins so was decided a short while ago. */
  wasDecided(beginning: string): boolean {
    return [...this.#decided].some((id) => id.startsWith(beginning));
  }

  /** Ends a question that nobody will ever see. */
  undelivered(id: string, reason: string): void {
    this.#open.get(id)?.settle({ decision: "deny", by: `nobody: it could not be asked, ${reason}` });
  }

  /** Waits for one answer; the id is used once. `announce` shows the question to whoever can answer. */
  ask(
    question: Omit<ApprovalRequest, "id" | "expires">,
    announce: (request: ApprovalRequest) => void,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly answer: Answer }> {
    const id = randomBytes(8).toString("hex");
    const request = Object.freeze({
      ...question,
      id,
      expires: new Date(Date.now() + this.waitMs).toISOString(),
    });
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        if (!this.#open.delete(id)) return;
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        this.#remember(id);
        resolve({ id, answer });
      };
      const cancel = (): void => settle({ decision: "cancelled" });
      const timer = setTimeout(() => settle({ decision: "expired" }), this.waitMs);
      this.#open.set(id, { request, settle });
      if (signal.aborted) return cancel();
      signal.addEventListener("abort", cancel);
      try {
        announce(request);
      } catch {
        settle({ decision: "deny", by: "nobody" });
      }
    });
  }

  #remember(id: string): void {
    this.#decided.add(id);
    if (this.#decided.size > maxDecided) this.#decided.delete(this.#decided.values().next().value as string);
  }
}
