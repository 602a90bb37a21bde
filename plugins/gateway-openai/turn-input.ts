import { randomUUID } from "node:crypto";
import { directMessage, type InboundMessage, type Part, type RouteRequest } from "@gantry/sdk";
import { agentIn, isPlain } from "./models.ts";
import type { AskedOfModel } from "./parameters.ts";
import { approvalsOf, waitHeader } from "../shared/waiting-header.ts";
import { BadRequest } from "./bad-request.ts";
import type { PreparedTurn } from "./run-turn.ts";

/** Returns who asks, as the host names them without their channel. */
export function deviceOf({ device = "local" }: RouteRequest): string {
  return device;
}

/** Returns what a request's person says, as a message in their one conversation. */
export function messageOf(request: RouteRequest, parts: readonly Part[]): InboundMessage {
  const { caller, traceparent } = request;
  const from = deviceOf(request);
  const message = directMessage({
    channel: "openai",
    id: randomUUID(),
    from,
    text: "",
    trust: "owner",
    ...(caller && { caller }),
  });
  return { ...message, parts, ...(traceparent !== undefined && { traceparent }) };
}

/** Returns what a request asks of its turn, in whatever form it came. */
export function optionsOf(asked: AskedOfModel, request: RouteRequest): PreparedTurn["options"] {
  const { model, choice, tools, maxTokens, temperature, effort } = asked;
  const { mode, names } = choice;
  const agent = agentIn(model);
  const approvals = approvalsOf(request.headers);
  if (!approvals) throw new BadRequest(waitHeader, "is not `wait`, the only value that it has");
  return {
    approvals,
    clientTools: mode === "none" ? [] : tools.filter(({ name }) => names?.includes(name) ?? true),
    // The call that is required is one of the client's, so the agent's are not offered beside them.
    ...((isPlain(model) || mode !== "auto") && { tools: [] }),
    ...(mode === "required" && { mustCall: true }),
    ...(agent !== undefined && { agent }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(effort !== undefined && { effort }),
  };
}
