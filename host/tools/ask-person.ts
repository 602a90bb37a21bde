import type { ApprovalRequest } from "@gantry/sdk";
import { answeredLater, type Decided, type Unasked } from "./asked-question.ts";
import type { CallDeps, CallRequest } from "./call.ts";
import { scopesOf, type Speaker } from "./scopes.ts";
import { messageNameOf, type TurnContext } from "./turn-context.ts";

/** The way by which a turn reaches a person. */
export type WayToPerson = Pick<CallRequest, "approvals" | "onEvent" | "signal">;

/**
 * Waits for a person's decision by the way that the turn has; `nobody` if it has none. `call` is
 * the digest of the exact call. A decision counts for the message of the turn and for no later one.
 */
export async function askPerson(
  { approvals, observers }: Pick<CallDeps, "approvals" | "observers">,
  { approvals: way, onEvent, signal }: WayToPerson,
  asked: Unasked,
  turn: TurnContext | undefined,
  call: string = "",
): Promise<Decided | { readonly decision: "nobody" }> {
  const by = yesBy(way, turn);
  if (by !== undefined) return { decision: "allow", by };
  if (way !== "ask" || !onEvent) return { decision: "nobody" };
  const began = performance.now();
  const { session, user, tool } = asked;
  const { trust = "owner" } = turn ?? {};
  const question = { ...asked, ...(trust !== "owner" && { trust }) };
  const announce = (request: ApprovalRequest): void => {
    observers.tell("approvalAsked", { id: request.id, session, user, tool });
    onEvent({ type: "approval_request", request });
  };
  const exact = `${messageNameOf(turn)} ${call}`;
  const asking = { question, call: exact, announce, signal };
  const { id, decided } = await approvals.ask(asking, turn?.caller);
  // Its turn begins again later, and nobody has decided: the question stays as it is shown.
  if (signal.reason === answeredLater) return decided;
  const decider = "by" in decided && { by: decided.by };
  const { decision } = decided;
  const ms = performance.now() - began;
  observers.tell("approvalDecided", { id, session, user, tool, decision, ...decider, ms });
  const isAllowed = decided.decision === "allow" || decided.decision === "always";
  onEvent({ type: "approval_done", id, decision: isAllowed ? "allow" : "deny" });
  return decided;
}

/** Returns who says yes to all of a turn, as audited: whoever began it, if they may decide. */
export function yesBy(way: CallRequest["approvals"], turn: TurnContext | undefined): string | undefined {
  if (way !== "yes" || (turn && !scopesOf(turn).includes("decide"))) return undefined;
  return turn?.message?.by === undefined ? "--yes" : `the plugin ${turn.message.by}`;
}

const overHttp =
  "over HTTP ask for a stream, at /v1 with the header `X-Gantry-Approvals: wait`, whose questions";

/** Returns how whoever has such a turn gets to be asked. A chat has no flags but owners. */
export function wayToBeAsked({ trust, caller }: Speaker = { trust: "owner" }): string {
  if (caller?.may.includes("decide") === false)
    return `${overHttp} are answered by a device that may \`decide\``;
  return trust === "owner"
    ? `run it in a terminal, pass --yes, or ${overHttp} can be answered at /api/approvals`
    : "it is for an owner of this channel to ask for it; who that is stands in the channel's `owners`";
}
