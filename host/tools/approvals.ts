import {
  Store,
  type ApprovalRequest,
  type Approvals as ApprovalsSlot,
  type Caller,
  type Sent,
} from "@gantry/sdk";
import type { Decider, DecisionOutcome, QuestionEnd } from "@gantry/sdk/fill";
import type { People } from "../config/people.ts";
import type { Registry } from "../plugins/registry.ts";
import {
  askedOf,
  type Asking,
  type Decided,
  type Delivered,
  type Question,
  type Unasked,
  type Waiting,
} from "./asked-question.ts";
import { mayDecide, type Doors, type Whose } from "./may-decide.ts";
import type { QuestionDesk } from "./question-desk.ts";

/** Questions of all hosts of this process: after a reload the new one hears what the old awaits. */
const awaited = new Map<string, Waiting>();

const idForm = /^[0-9a-f]{16}$/;
/** So many messages are remembered that were read. */
const maxMessages = 1_000;
/** An answer can come before the platform confirms the question: `known` waits so long for that. */
const sendingMs = 1_000;

/** Open questions in the store: they outlive this process, and the first decision holds for all. */
export class Approvals implements ApprovalsSlot {
  readonly #doors: Doors;
  readonly #messages = new Set<string>();
  #opening: Promise<QuestionDesk> | undefined;
  readonly waitMs: number;

  constructor(registry: Registry, people: People, waitMs: number) {
    this.#doors = { registry, people };
    this.waitMs = waitMs;
  }

  async pending(by?: Decider): Promise<readonly ApprovalRequest[]> {
    const open = await (await this.#desk()).open();
    return by === undefined ? open : open.filter((request) => this.mayDecide(request, by));
  }

  async decide(id: string, decision: string, by: Decider, why?: string): Promise<DecisionOutcome> {
    const desk = idForm.test(id) ? await this.#desk() : undefined;
    const [question] = (await desk?.kept.read(id)) ?? [];
    if (question?.ended) return "decided";
    if (!desk || !question?.asked) return "unknown";
    const { request } = question.asked;
    if (!this.mayDecide(request, by)) return "forbidden";
    const given = { decision: released(decision, request), by: this.#doors.people.shown(by) };
    const end = why === undefined ? given : { ...given, why };
    return (await desk.end(question.asked, end)) ? "done" : "decided";
  }

  async ended(id: string, by: Decider): Promise<QuestionEnd | undefined> {
    const end = idForm.test(id) ? await (await this.#desk()).kept.endOf(id) : undefined;
    if (!end || !this.mayDecide(end, by)) return undefined;
    const { decision, by: who, reason } = end;
    return { decision, ...(who !== undefined && { by: who }), ...(reason !== undefined && { reason }) };
  }

  /** Waits for one decision. A turn that began again takes up its old question for the call. */
  async ask(
    asking: Omit<Asking, "question"> & { readonly question: Unasked },
    caller: Caller | undefined,
  ): Promise<{ readonly id: string; readonly decided: Decided }> {
    const whose = this.#doors.people.asked(asking.question.user, caller);
    return (await this.#desk()).ask({ ...asking, question: { ...asking.question, ...whose } });
  }

  /** Sends a question, and denies it if it cannot be sent. `send` must not throw. */
  async deliver(request: ApprovalRequest, send: () => Promise<Sent>): Promise<Sent> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = awaited.get(request.id);
    if (waiting) waiting.sending = promise;
    const sent = await send();
    const id = sent.status === "sent" ? sent.id : undefined;
    const delivered = { at: Date.now(), ...(id !== undefined && { message: id }) };
    if (waiting && sent.status === "sent") waiting.delivered = delivered;
    resolve();
    const noted =
      sent.status === "sent"
        ? this.#desk().then(({ kept }) => kept.delivered(request, delivered))
        : this.#undelivered(request.id, sent.reason);
    // If the store fails, the question is sent once more after a restart, or it expires.
    await noted.catch(() => {});
    return sent;
  }

  /** Returns where and when people were shown a question that this process waits for. */
  delivered(id: string): Delivered | undefined {
    return awaited.get(id)?.delivered;
  }

  /** Returns the questions that this process waits for and this person may decide. */
  awaited(by: Decider): readonly ApprovalRequest[] {
    const all = [...awaited.values()].map(({ request }) => request);
    return all.filter((request) => this.mayDecide(request, by));
  }

  /**
   * Reads the questions of the conversation in which somebody decides, and those that they may
   * decide from there, the ended ones too.
   */
  async known(by: Decider): Promise<readonly Question[]> {
    const isHere = ({ session }: Whose): boolean => session === by.conversation;
    const waiting = [...awaited.values()].filter(({ request }) => isHere(request));
    const sending = waiting.map((one) => one.sending);
    const late = new Promise<void>((resolve) => setTimeout(resolve, sendingMs).unref());
    await Promise.race([Promise.all(sending), late]);
    const all = await (await this.#desk()).kept.read();
    const known = all.filter((question) => {
      const asked = askedOf(question);
      return asked !== undefined && (isHere(asked) || this.mayDecide(asked, by));
    });
    return known.map((question) => merged(question, awaited.get(question.id)));
  }

  /** Ends what an earlier try of a turn asked, once the turn has ended without asking it again. */
  async withdraw(conversation: string): Promise<void> {
    await (await this.#desk()).withdraw(conversation);
  }

  /** Returns true if the message was read before: a platform may repeat it, to another question. */
  wasRead(message: string): boolean {
    return this.#messages.has(message);
  }

  noteRead(message: string): void {
    this.#messages.add(message);
    if (this.#messages.size > maxMessages)
      this.#messages.delete(this.#messages.values().next().value as string);
  }

  /** Loads what is needed for the first question. */
  async prepare(): Promise<void> {
    await this.#desk();
  }

  mayDecide(asked: Whose, by: Decider): boolean {
    return mayDecide(asked, by, this.#doors);
  }

  async #undelivered(id: string, reason: string): Promise<void> {
    const desk = await this.#desk();
    const [question] = await desk.kept.read(id);
    if (question?.asked) await desk.end(question.asked, { decision: "undelivered", reason });
  }

  #desk(): Promise<QuestionDesk> {
    return (this.#opening ??= this.#open());
  }

  async #open(): Promise<QuestionDesk> {
    const { openDesk } = await import("./question-desk.ts");
    return openDesk(() => this.#doors.registry.get(Store)?.values, awaited, this.waitMs);
  }
}

/** Adds what this process knows before the store does: that the question was delivered. */
function merged(question: Question, waiting: Waiting | undefined): Question {
  if (!waiting || !question.asked) return question;
  const { request, delivered } = waiting;
  return { ...question, asked: { ...question.asked, request }, ...(delivered && { delivered }) };
}

/** Takes everything but the exact words for a no, and `always` only if it was offered. */
function released(decision: string, { always }: ApprovalRequest): "allow" | "always" | "deny" {
  if (decision === "allow") return "allow";
  return decision === "always" && always !== undefined ? "always" : "deny";
}
