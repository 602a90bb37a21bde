import { Channels, type ToolOrigin } from "@gantry/sdk";
import { deepFreeze } from "@gantry/sdk/node";
import type { Registry } from "../plugins/registry.ts";
import type { TurnContext } from "./turn-context.ts";

/** Returns the chat that a turn answers, a copy that nobody can change; undefined if no loaded channel holds it. */
export function originOf(registry: Registry, turn: TurnContext | undefined): ToolOrigin | undefined {
  if (!turn?.message || registry.get(Channels)?.has(turn.message.channel) !== true) return undefined;
  const { channel, conversation, replyTo } = turn.message;
  return deepFreeze(structuredClone({ channel, conversation, replyTo, to: replyTo, trust: turn.trust }));
}
