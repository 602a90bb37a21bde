import { approvalText, laneOf, userOf, type Decider } from "@gantry/sdk/fill";
import {
  textOf,
  verbatimParts,
  type ApprovalRequest,
  type InboundMessage,
  type Logger,
  type Sent,
} from "@gantry/sdk";
import { shortHash } from "@gantry/sdk/node";
import type { Registry } from "../plugins/registry.ts";
import type { Approvals } from "../tools/approvals.ts";
import { askedOf, isOpen, type Question } from "../tools/asked-question.ts";
import { isChatCommand } from "./chat-words.ts";
import type { Delivery } from "./delivery.ts";
import { isOlder, needsQuestionId, shortIdLength } from "./question-ids.ts";

interface AskDeps {
  readonly delivery: Delivery;
  readonly approvals: Approvals;
  readonly log: Logger;
}

interface Deps extends AskDeps {
  readonly registry: Registry;
}

/** `yes`, `allow 1a2b3c`, `always`, `show 1a2b3c`: what to do, and the beginning of an id. */
const decisionForm = /^\s*(yes|y|allow|always|a|no|n|deny|show)(?:\s+([0-9a-f]{6}))?[\s.!]*$/i;

const decisions: Readonly<Record<string, "allow" | "always" | "deny">> = {
  yes: "allow",
  y: "allow",
  allow: "allow",
  always: "always",
  a: "always",
  no: "deny",
  n: "deny",
  deny: "deny",
};

/** The question with the words that decide it, for a channel without buttons. */
export function questionText(request: ApprovalRequest, whole: boolean = false): string {
  const short = shortId(request);
  const words = [`"allow ${short}"`, `"deny ${short}"`];
  if (request.always !== undefined)
    words.push(`"always ${short}" (for this conversation: ${request.always})`);
  return `${approvalText(request, whole)}\nAnswer ${words.join(" or ")}.`;
}

/** Puts a question where it came up; one that cannot be put is a no at once. */
export async function askInChannel(
  deps: AskDeps,
  message: InboundMessage,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<void> {
  const { approvals, delivery } = deps;
  const send = (): Promise<Sent> => delivery.question(message, request, questionText(request), signal);
  const sent = await approvals.deliver(request, send);
  if (sent.status === "sent") return;
  const lane = laneOf(message);
  deps.log.warn({ lane, tool: request.tool }, `A question could not be put to anybody: ${sent.reason}`);
}

/**
 * True if the message was a decision on an open question of its conversation, or a wish to see one
 * whole, and is used up. A word without an id decides only in a direct conversation whose channel
 * takes it, and only if it was written after the question stood there.
 */
export async function decideInChannel(deps: Deps, message: InboundMessage): Promise<boolean> {
  const isUsed = await decideBy(deps, message);
  // Delivered again, it must not decide a later question. What the store refused may come again.
  deps.approvals.noteRead(keyOf(message));
  return isUsed;
}

async function decideBy(deps: Deps, message: InboundMessage): Promise<boolean> {
  const { approvals, registry, log } = deps;
  const [, word = "", short = ""] = decisionForm.exec(textOf(message.parts))?.map((part) => part ?? "") ?? [];
  const { trust, caller } = message;
  const door = { user: userOf(message), conversation: laneOf(message) };
  const by = { ...door, trust, ...(caller && { caller }) };
  // Only a message in the form of a decision costs a look into the store.
  const known = word === "" ? [] : await approvals.known(by);
  const isHere = (question: Question): boolean => askedOf(question)?.session === by.conversation;
  const here = known.filter((question) => isOpen(question) && isHere(question));
  if (word === "" || (short === "" && here.some((question) => isOlder(message, question)))) {
    tellBehind(deps, message, by);
    return false;
  }
  // A question of another conversation, which its person may decide from here, needs its id.
  const isNamed = ({ id }: Question): boolean => id.startsWith(short.toLowerCase());
  const named = short === "" ? here : known.filter(isNamed);
  const meant = named.filter(isOpen).flatMap(({ asked }) => (asked ? [asked.request] : []));

  // Without an open question such a word is part of the talk, but not a repeated decision.
  if (meant.length === 0) return named.some(({ ended }) => ended !== undefined);
  const [request] = meant as [ApprovalRequest];
  if (!meant.some((one) => approvals.mayDecide(one, by))) {
    log.warn(
      { user: by.user },
      `${shortHash(by.user)} answered an approval question and is not an owner of the channel.`,
    );
    return short !== "";
  }
  if (meant.length > 1) {
    void reply(deps, message, severalText(meant));
    return true;
  }
  const decision = decisions[word.toLowerCase()];
  const isBare = short === "" && needsQuestionId(registry, message);
  if (decision === undefined) void reply(deps, message, questionText(request, true));
  else if (isBare) return tellWords(deps, message, request);
  else if (!approvals.wasRead(keyOf(message))) await approvals.decide(request.id, decision, by);
  return true;
}

function keyOf({ channel, id }: InboundMessage): string {
  return `${channel} ${id}`;
}

function shortId({ id }: ApprovalRequest): string {
  return id.slice(0, shortIdLength);
}

function severalText(open: readonly ApprovalRequest[]): string {
  const ids = open.map((request) => `${shortId(request)} (${request.tool})`).join(", ");
  const words = `"allow ${ids.slice(0, shortIdLength)}"`;
  return `Several questions are open: ${ids}. Say which, as in ${words}.`;
}

/** The questions that a bare word did not decide, and of which the deciding words were told. */
const refused = new WeakSet<ApprovalRequest>();

/** True if the words that decide were told just now; told once, a bare word is part of the talk. */
function tellWords(deps: Deps, message: InboundMessage, request: ApprovalRequest): boolean {
  if (refused.has(request)) return false;
  refused.add(request);
  const short = shortId(request);
  const words = `"allow ${short}" or "deny ${short}"`;
  void reply(deps, message, `Here a decision needs the id of its question. Say ${words}.`);
  return true;
}

/** The questions of which somebody was told that words wait behind them. */
const told = new WeakSet<ApprovalRequest>();

/** Tells whoever could answer a question and says something else that it waits, once a question. */
function tellBehind(deps: Deps, message: InboundMessage, by: Decider): void {
  if (isChatCommand(message)) return;
  const isHere = ({ session }: ApprovalRequest): boolean => session === by.conversation;
  const request = deps.approvals.awaited(by).find(isHere);
  if (!request || told.has(request)) return;
  told.add(request);
  const short = shortId(request);
  const words = `"allow ${short}", "deny ${short}", or /stop`;
  void reply(deps, message, `Your message waits until the question here is answered: ${words}.`);
}

/** Tells whoever wrote a message about a question what came of it, sign by sign. Never throws. */
export async function reply(
  { delivery, log }: Pick<AskDeps, "delivery" | "log">,
  message: InboundMessage,
  text: string,
): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const sent = await delivery.say(message, verbatimParts(text), `${message.id}-reply`, signal);
  if (sent.status !== "sent")
    log.warn({ lane: laneOf(message) }, `An answer about a question was not sent: ${sent.reason}`);
}
