import { randomBytes } from "node:crypto";
import { GantryError, type Tool, type ToolCall } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { asError, deepFreeze, withTimeout } from "@gantry/sdk/node";
import { parseArguments } from "./arguments.ts";
import { effectsOf } from "./effects.ts";
import { effectsContext } from "./origin.ts";
import type { CallDeps, CallRequest } from "./call.ts";

/** Tools that call tools that call tools end here. */
const maxDepth = 4;
/** A tool that does not say in time what it will touch is not called. */
const effectsMs = 10_000;

export type CallToPrepare = Pick<CallRequest, "id" | "tool" | "args" | "session" | "user" | "depth" | "turn">;

/** A call that has been found, read and frozen, and can be shown to the guards. */
export interface Prepared {
  readonly tool: Tool;
  readonly call: ToolCall;
}

/** Finds the tool, reads the arguments and states the effects; throws coded errors. */
export async function prepareCall(
  deps: CallDeps,
  tools: ReadonlyMap<string, Tool>,
  request: CallToPrepare,
  dryRun: boolean,
): Promise<Prepared> {
  const tool = tools.get(request.tool);
  if (!tool) throw errors.TOOL_UNKNOWN(request.tool, [...tools.keys()].join(", ") || "none");
  if ((request.depth ?? 0) > maxDepth) throw errors.TOOL_TOO_DEEP(request.tool, maxDepth);

  const args = parseArguments(tool, request.args);
  if (tool.standsFor) throw errors.TOOL_STANDS_FOR_NONE(tool.name);
  const { session, user, turn } = request;
  const cwd = await deps.cwd(turn);
  const late = (): Error => errors.TOOL_TIMEOUT(tool.name, effectsMs / 1_000);
  const stated = withTimeout(
    effectsMs,
    effectsOf(tool, args, effectsContext(deps.registry, request, cwd)),
    late,
  );
  const effects = await stated.catch((error: unknown) => {
    throw error instanceof GantryError ? error : errors.TOOL_BAD_ARGS(tool.name, asError(error));
  });

  const call: ToolCall = {
    id: request.id ?? `call_${randomBytes(6).toString("hex")}`,
    tool: tool.name,
    args,
    effects,
    session,
    user,
    trust: turn?.trust ?? "owner",
    cwd,
    network: await deps.network(effects.commands),
    sources: await deps.sources.of(session),
    shared: turn?.message?.conversation.kind === "group",
    dryRun,
    ...(tool.hints && { hints: { ...tool.hints } }),
    ...(turn?.autonomy !== undefined && { autonomy: turn.autonomy }),
    ...(turn && { turn: turn.ids.turn }),
    ...(turn?.agent !== undefined && { agent: turn.agent }),
    ...(tool.source !== undefined && { source: tool.source }),
  };
  return { tool, call: deepFreeze(call) };
}
