import { Channels, type InboundMessage, type ToolOrigin } from "@gantry/sdk";
import type { EffectsContext } from "@gantry/sdk/fill";
import { deepFreeze } from "@gantry/sdk/node";
import type { Registry } from "../plugins/registry.ts";
import type { CallRequest } from "./call.ts";
import type { TurnContext } from "./turn-context.ts";

/** Returns the chat that a turn answers; undefined if no loaded channel holds it. */
export function originOf(registry: Registry, turn: TurnContext | undefined): ToolOrigin | undefined {
  const isOpen = turn?.message && registry.get(Channels)?.has(turn.message.channel) === true;
  return isOpen ? chatOf({ ...turn.message, trust: turn.trust }) : undefined;
}

/** Returns the chat of a message, a copy that nobody can change. */
export function chatOf({ channel, conversation, replyTo, trust, id: message }: InboundMessage): ToolOrigin {
  return deepFreeze(structuredClone({ channel, conversation, replyTo, to: replyTo, trust, message }));
}

/** Returns what a tool is told when it states the effects of a call. */
export function effectsContext(
  registry: Registry,
  { session, user, turn }: Pick<CallRequest, "session" | "user" | "turn">,
  cwd: string,
): EffectsContext {
  return {
    session,
    user,
    agent: turn?.agent,
    cwd,
    get origin() {
      return originOf(registry, turn);
    },
  };
}
