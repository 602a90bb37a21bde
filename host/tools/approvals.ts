import {
  Channels,
  Store,
  type ApprovalRequest,
  type Approvals as ApprovalsSlot,
  type Decider,
  type DecisionOutcome,
  type QuestionEnd,
  type Sent,
} from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import type { Asking, Decided, Delivered, Question, Waiting } from "./asked-question.ts";
import type { QuestionDesk } from "./question-desk.ts";

/** Shared by the hosts of this process: after a reload the new one hears what the old one awaits. */
const awaited = new Map<string, Waiting>();

const idForm = /^[0-9a-f]{16}$/;
/** So many messages are remembered that were read. */
const maxMessages = 1_000;
/** An answer can come before the platform confirms the question: `of` waits so long for that. */
const sendingMs = 1_000;

/** Open questions in the store: they outlive this process, and the first decision holds for all. */
export class Approvals implements ApprovalsSlot {
  readonly #registry: Registry;
  readonly #messages = new Set<string>();
  #opening: Promise<QuestionDesk> | undefined;
  readonly waitMs: number;

  constructor(registry: Registry, waitMs: number) {
    this.#registry = registry;
    this.waitMs = waitMs;
  }

  async pending(by?: Decider): Promise<readonly ApprovalRequest[]> {
    const open = await (await this.#desk()).open();
    return by === undefined ? open : open.filter((request) => this.mayDecide(request, by));
  }

  async decide(id: string, decision: string, by: Decider): Promise<DecisionOutcome> {
    const desk = idForm.test(id) ? await this.#desk() : undefined;
    const [question] = (await desk?.kept.read(id)) ?? [];
    if (question?.ended) return "decided";
    if (!desk || !question?.asked) return "unknown";
    const { request } = question.asked;
    if (!this.mayDecide(request, by)) return "forbidden";
    const end = { decision: released(decision, request), by: by.user };
    return (await desk.end(question.asked, end)) ? "done" : "decided";
  }

  async ended(id: string, by: Decider): Promise<QuestionEnd | undefined> {
    const end = idForm.test(id) ? await (await this.#desk()).kept.endOf(id) : undefined;
    if (!end || !this.mayDecide(end, by)) return undefined;
    const { decision, by: who, reason } = end;
    return { decision, ...(who !== undefined && { by: who }), ...(reason !== undefined && { reason }) };
  }

  /** Waits for one decision. A turn that began again takes up its old question for the same call. */
  async ask(asking: Asking): Promise<{ readonly id: string; readonly decided: Decided }> {
    return (await this.#desk()).ask(asking);
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
        ? this.#delivered(request, delivered)
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

  /** Reads the questions of a conversation, the ended ones too. */
  async of(conversation: string): Promise<readonly Question[]> {
    const isHere = ({ request }: Waiting): boolean => request.session === conversation;
    const sending = [...awaited.values()].filter(isHere).map((waiting) => waiting.sending);
    const late = new Promise<void>((resolve) => setTimeout(resolve, sendingMs).unref());
    await Promise.race([Promise.all(sending), late]);
    const all = await (await this.#desk()).kept.read();
    return all
      .filter(({ asked, ended }) => (ended ?? asked?.request)?.session === conversation)
      .map((question) => merged(question, awaited.get(question.id)));
  }

  /** Ends what an earlier try of a turn asked, once the turn has ended without asking it again. */
  async withdraw(conversation: string): Promise<void> {
    await (await this.#desk()).withdraw(conversation);
  }

  /** True for a message that was read before: a platform may deliver it again, to another question. */
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

  /**
   * In a channel its owners decide, in the very conversation that was asked. Paired devices are the owner's: each decides
   * what another one is asked. Everywhere else only the person who was asked decides.
   */
  mayDecide({ user, session }: Pick<ApprovalRequest, "user" | "session">, by: Decider): boolean {
    const door = doorOf(by.user);
    if (door !== doorOf(user)) return false;
    if (this.#registry.get(Channels)?.has(door) === true)
      return by.conversation === session && by.trust === "owner";
    return door === "http" || by.user === user;
  }

  async #delivered(request: ApprovalRequest, delivered: Delivered): Promise<void> {
    await (await this.#desk()).kept.delivered(request, delivered);
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
    return openDesk(() => this.#registry.get(Store)?.values, awaited, this.waitMs);
  }
}

/** Adds what this process knows before the store does: that the question was delivered. */
function merged(question: Question, waiting: Waiting | undefined): Question {
  if (!waiting || !question.asked) return question;
  const { request, delivered } = waiting;
  return { ...question, asked: { ...question.asked, request }, ...(delivered && { delivered }) };
}

/** Everything that is not one of the exact words is a no; `always` only where it was offered. */
function released(decision: string, { always }: ApprovalRequest): "allow" | "always" | "deny" {
  if (decision === "allow") return "allow";
  return decision === "always" && always !== undefined ? "always" : "deny";
}

/** The channel of `<channel>:<user_id>`. */
function doorOf(user: string): string {
  return user.split(":", 1)[0] as string;
}
