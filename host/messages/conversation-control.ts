import {
  laneOf,
  userOf,
  type ConversationControl,
  type Decider,
  type DecisionOutcome,
  type SessionSummary,
} from "@gantry/sdk/fill";
import { Store, type ApprovalRequest, type InboundMessage, type ModelRef } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { Approvals } from "../tools/approvals.ts";
import { askedOf } from "../tools/asked-question.ts";
import { scopesOf } from "../tools/scopes.ts";
import type { ToolList } from "../tools/tool-list.ts";
import { modelSpace, type Conversations } from "./conversations.ts";
import { storeOf } from "./store-of.ts";
import { isOlder, namesQuestion, needsQuestionId } from "./question-ids.ts";
import { isOthers, leave, move, type LeaveDeps } from "./session-agent.ts";

/** A conversation that another process holds is not waited for longer: a command answers at once. */
const patienceMs = 5_000;
const manySessions = 1_000;

export interface ControlDeps extends LeaveDeps {
  readonly tools: ToolList;
  readonly conversations: Conversations;
  readonly approvals: Approvals;
  readonly want: ModelRef;
}

/** What a command may do to the conversation of its message. A conversation keeps its id; what it leaves gets another. */
export class Control implements ConversationControl {
  readonly session: string;
  readonly #deps: ControlDeps;
  readonly #message: InboundMessage;

  constructor(deps: ControlDeps, message: InboundMessage, session: string) {
    this.#deps = deps;
    this.#message = message;
    this.session = session;
  }

  async begin(): Promise<string | undefined> {
    await this.#deps.conversations.turns.end(this.session, "forget");
    return this.#alone(async () => {
      const kept = await leave(this.#deps, this.session);
      await storeOf(this.#deps.registry).sessions.open(this.session, laneOf(this.#message));
      return kept;
    });
  }

  async resume(wanted: string): Promise<boolean> {
    const own = await this.sessions(manySessions);
    const found = own.find(({ id }) => id === wanted) ?? own.find(({ id }) => id.endsWith(`.${wanted}`));
    if (!found || found.id === this.session) return false;
    const agent = await this.#deps.conversations.agent(this.#message, this.session, {});
    if (await isOthers(this.#deps.registry, found.id, agent)) return false;
    await this.#deps.conversations.turns.end(this.session, "forget");
    return this.#alone(async () => {
      await leave(this.#deps, this.session);
      return move(this.#deps, found.id, this.session);
    });
  }

  async sessions(limit: number): Promise<readonly SessionSummary[]> {
    const all = await storeOf(this.#deps.registry).sessions.list(manySessions);
    const owner = laneOf(this.#message);
    return all.filter((session) => session.owner === owner).slice(0, limit);
  }

  async compact(): Promise<boolean> {
    this.#mustRest();
    return this.#alone(async () => {
      const options = { signal: AbortSignal.timeout(patienceMs * 12), approvals: "none" } as const;
      const { conversations } = this.#deps;
      const agent = await conversations.agent(this.#message, this.session, options);
      if (await isOthers(this.#deps.registry, this.session, agent)) return false;
      return (await conversations.run(this.#message, this.session, options, agent)).compact();
    });
  }

  async rewind(): Promise<boolean> {
    this.#mustRest();
    return this.#alone(() => storeOf(this.#deps.registry).sessions.rewind(this.session));
  }

  stop(): Promise<boolean> {
    return this.#deps.conversations.turns.end(this.session, "keep");
  }

  isRunning(): boolean {
    return this.#deps.conversations.turns.isRunning(this.session);
  }

  async agent(): Promise<string | undefined> {
    return (await this.#deps.conversations.agent(this.#message, this.session, {}))?.name;
  }

  async model(): Promise<ModelRef> {
    const { want, registry } = this.#deps;
    const chosen = await registry.get(Store)?.values.get<string>(modelSpace, this.session);
    return { provider: want.provider, model: chosen ?? want.model };
  }

  async useModel(model: string | undefined): Promise<void> {
    const { values } = storeOf(this.#deps.registry);
    if (model === undefined) await values.remove(modelSpace, this.session);
    else await values.put(modelSpace, this.session, model);
  }

  async tools(): Promise<readonly { readonly name: string; readonly description: string }[]> {
    const agent = await this.#deps.conversations.agent(this.#message, this.session, {});
    return this.#deps.tools.offered({ only: agent?.tools, has: scopesOf(this.#message) });
  }

  questions(): Promise<readonly ApprovalRequest[]> {
    return this.#deps.approvals.pending(this.#decider());
  }

  async decide(id: string, decision: "allow" | "deny"): Promise<DecisionOutcome | "unnamed"> {
    const { registry, approvals } = this.#deps;
    const by = this.#decider();
    const known = await approvals.known(by);
    const question = known.find((one) => one.id === id);
    const isEarlier = question !== undefined && isOlder(this.#message, question);
    const isElsewhere = question !== undefined && askedOf(question)?.session !== this.session;
    const needsId = isEarlier || isElsewhere || needsQuestionId(registry, this.#message);
    const isNamed = !needsId || namesQuestion(this.#message, id);
    return isNamed ? approvals.decide(id, decision, by) : "unnamed";
  }

  #decider(): Decider {
    const { trust, caller } = this.#message;
    const by = { user: userOf(this.#message), conversation: this.session, trust };
    return caller ? { ...by, caller } : by;
  }

  #mustRest(): void {
    if (this.isRunning()) throw errors.SESSION_RUNNING();
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#deps.conversations.alone(this.session, AbortSignal.timeout(patienceMs), work);
  }
}
