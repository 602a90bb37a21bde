import { randomBytes } from "node:crypto";
import type { TurnUsage } from "@gantry/sdk";
import type { Coded } from "./failure.ts";
import { isObject, type Sent } from "./parameters.ts";
import type { ResponseRequest } from "./response-request.ts";

/** The facts of a response that are known before its turn. */
export interface ResponseHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly asked: ResponseRequest;
  /** Unix seconds, from its completion on. */
  ended?: number;
}

/** The progress of a response. */
export interface ResponseState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly Sent[];
  readonly usage?: TurnUsage;
  /** Why it is incomplete. */
  readonly reason?: string;
  readonly error?: Coded;
}

const idForm = /^resp_([0-9a-f]{24})([0-9a-f]{8})$/;
const itemForm = /^(?:msg|fc|rs)_([0-9a-f]{32})\d{1,4}$/;

/** Makes the name of a new conversation; later ones sort behind earlier ones. */
export function newConversation(): string {
  return Date.now().toString(16).padStart(12, "0") + randomBytes(6).toString("hex");
}

/** Makes the id of a response, which tells its conversation. */
export function newResponseId(conversation: string): string {
  return `resp_${conversation}${randomBytes(4).toString("hex")}`;
}

/** Returns the conversation of a response; undefined if the id is invalid. */
export function conversationIn(id: string): string | undefined {
  return idForm.exec(id)?.[1];
}

/** Returns the response that an item stands in; undefined if the id is invalid. */
export function responseOfItem(id: string): string | undefined {
  const own = itemForm.exec(id)?.[1];
  return own === undefined ? undefined : `resp_${own}`;
}

/** Returns a response as the API has it. */
export function resourceOf(head: ResponseHead, state: ResponseState): Sent {
  const { id, created, asked } = head;
  const { sent, model, previous, instructions } = asked;
  const { status, output, usage, reason, error } = state;
  if (status === "completed") head.ended ??= Math.floor(Date.now() / 1_000);
  return {
    id,
    object: "response",
    created_at: created,
    completed_at: head.ended ?? null,
    status,
    background: false,
    error: error ?? null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: instructions ?? null,
    max_output_tokens: asked.maxTokens ?? null,
    max_tool_calls: null,
    model,
    output,
    parallel_tool_calls: sent["parallel_tool_calls"] ?? true,
    previous_response_id: previous ?? null,
    prompt_cache_key: sent["prompt_cache_key"] ?? null,
    reasoning: { effort: asked.effort ?? null, summary: asked.summary ?? null },
    safety_identifier: sent["safety_identifier"] ?? null,
    service_tier: "default",
    store: asked.store,
    temperature: asked.temperature ?? 1,
    text: { format: { type: "text" } },
    tool_choice: sent["tool_choice"] ?? "auto",
    tools: asked.tools.map(({ name, description, input }, at) => ({
      type: "function",
      name,
      description: description === "" ? null : description,
      parameters: input,
      strict: strictIn(sent, at),
    })),
    top_logprobs: 0,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    truncation: "auto",
    usage: usage === undefined ? null : usageOf(usage),
    metadata: sent["metadata"] ?? {},
  };
}

function strictIn({ tools }: Sent, at: number): boolean | null {
  const tool: unknown = Array.isArray(tools) ? tools[at] : undefined;
  return isObject(tool) && typeof tool["strict"] === "boolean" ? tool["strict"] : null;
}

function usageOf(usage: TurnUsage): object {
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens } = usage;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: input_tokens + output_tokens,
  };
}
