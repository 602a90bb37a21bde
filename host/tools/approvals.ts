import { randomBytes } from "node:crypto";
import type {
  ApprovalRequest,
  Approvals as ApprovalsSlot,
  Caller,
  Decider,
  DecisionOutcome,
} from "@gantry/sdk";
import type { People } from "../config/people.ts";
import type { Registry } from "../plugins/registry.ts";
import { mayDecide, type Doors } from "./may-decide.ts";

export type Decided =
  | { readonly decision: "allow" | "always" | "deny"; readonly by: string }
  | { readonly decision: "expired" | "cancelled" }
  | { readonly decision: "undelivered"; readonly reason: string };

interface Open {
  readonly request: ApprovalRequest;
  readonly settle: (decided: Decided) => void;
}

/** So many decided ids are remembered, so that a second decision is told apart from an unknown question. */
const maxDecided = 1_000;

/** Open questions live in this process only: a restart denies them all. */
export class Approvals implements ApprovalsSlot {
  readonly #doors: Doors;
  readonly #open = new Map<string, Open>();
  readonly #decided = new Set<string>();
  readonly #messages = new Set<string>();
  readonly waitMs: number;

  constructor(registry: Registry, people: People, waitMs: number) {
    this.#doors = { registry, people };
    this.waitMs = waitMs;
  }

  async pending(by?: Decider): Promise<readonly ApprovalRequest[]> {
    const all = [...this.#open.values()].map(({ request }) => request);
    return by === undefined ? all : all.filter((request) => mayDecide(request, by, this.#doors));
  }

  async decide(id: string, decision: string, by: Decider): Promise<DecisionOutcome> {
    const open = this.#open.get(id);
    if (!open) return this.#decided.has(id) ? "decided" : "unknown";
    if (!mayDecide(open.request, by, this.#doors)) return "forbidden";
    open.settle({ decision: released(decision, open.request), by: this.#doors.people.shown(by) });
    return "done";
  }

  /** True where a question whose id begins so was decided a short while ago. */
  wasDecided(beginning: string): boolean {
    return [...this.#decided].some((id) => id.startsWith(beginning));
  }

  /** True the first time that a message is read: a platform may deliver it again, to another question. */
  takes(message: string): boolean {
    if (this.#messages.has(message)) return false;
    remember(this.#messages, message);
    return true;
  }

  /** Ends a question that nobody will ever see. */
  undelivered(id: string, reason: string): void {
    this.#open.get(id)?.settle({ decision: "undelivered", reason });
  }

  /** Waits for one decision; the id is used once. `announce` shows the question to whoever can decide. */
  ask(
    question: Omit<ApprovalRequest, "id" | "expires" | "device" | "person">,
    caller: Caller | undefined,
    announce: (request: ApprovalRequest) => void,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly decided: Decided }> {
    const id = randomBytes(8).toString("hex");
    const expires = new Date(Date.now() + this.waitMs).toISOString();
    const whose = this.#doors.people.asked(question.user, caller);
    const request = Object.freeze({ ...question, ...whose, id, expires });
    const { promise, resolve } = Promise.withResolvers<Decided>();
    const settle = (decided: Decided): void => {
      if (!this.#open.delete(id)) return;
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      this.#remember(id);
      resolve(decided);
    };
    const cancel = (): void => settle({ decision: "cancelled" });
    const timer = setTimeout(() => settle({ decision: "expired" }), this.waitMs);
    signal.addEventListener("abort", cancel);
    this.#open.set(id, { request, settle });
    if (signal.aborted) cancel();
    else announceOrDeny(() => announce(request), settle);
    return promise.then((decided) => ({ id, decided }));
  }

  #remember(id: string): void {
    remember(this.#decided, id);
  }
}

function remember(known: Set<string>, id: string): void {
  known.add(id);
  if (known.size > maxDecided) known.delete(known.values().next().value as string);
}

/** A question that cannot even be announced is a no. */
function announceOrDeny(announce: () => void, settle: (decided: Decided) => void): void {
  try {
    announce();
  } catch {
    settle({ decision: "deny", by: "nobody" });
  }
}

/** Everything that is not one of the exact words is a no; `always` only where it was offered. */
function released(decision: string, { always }: ApprovalRequest): "allow" | "always" | "deny" {
  if (decision === "allow") return "allow";
  return decision === "always" && always !== undefined ? "always" : "deny";
}
