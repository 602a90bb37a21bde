import type { ModelRef } from "../models/model-ref.ts";
import type { Awaitable } from "./awaitable.ts";
import type { InboundMessage } from "../messages/channel.ts";
import type { Provider } from "../models/provider.ts";
import type { ToolCall } from "../tools/tool.ts";

/** A guard's no. It cannot be lifted by any other plugin. */
export interface Refusal {
  readonly verdict: "refuse";
  readonly code: string;
  readonly reason: string;
}

/** A guard's "a person must say so first". Beaten by any refusal. */
export interface Question {
  readonly verdict: "ask";
  readonly code: string;
  readonly reason: string;
}

/** Says no: `refuse(errors.COMMAND_BLOCKED("rm"))`, or any code and sentence. */
export function refuse(why: { readonly code: string; readonly message: string }): Refusal {
  return Object.freeze({ verdict: "refuse", code: why.code, reason: why.message });
}

/** Asks that a person decide. There is no way to say yes on behalf of the other guards. */
export function ask(why: { readonly code: string; readonly message: string }): Question {
  return Object.freeze({ verdict: "ask", code: why.code, reason: why.message });
}

/** The kinds of audit record. More may come: keep what you do not know. */
export type AuditType =
  | "tool_call"
  | "tool_result"
  | "security_refusal"
  | "approval"
  | "tool_question"
  | "pairing"
  | "auth_failure"
  | "config_change"
  | "anomaly"
  | "inbound_ignored"
  | "service_message"
  | "erasure"
  | "retention"
  | "audit_gap";

/** One audit record as plugins see it: stamped and redacted; the sink adds its own chain. */
export interface AuditEvent {
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly event_type: AuditType;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * The decision or the outcome: `allowed`, `approved`, `refused: CODE`; for a `tool_result`
   * `done`, `failed` or `failed: CODE`; or an event's own word.
   */
  readonly result: string;
  /** `<channel>:<user_id>` */
  readonly user: string;
  readonly session_id: string;
  /** The `traceparent` of the turn that it happened in. */
  readonly trace?: string;
}

export interface Hooks {
  /**
   * guard: refusal beats question, question beats silence; a throw, a timeout or nonsense is a
   * refusal.
   */
  beforeToolCall(call: ToolCall): Awaitable<Refusal | Question | void>;
  /** guard: the first refusal wins; a throw, a timeout or nonsense is a refusal. */
  onInboundMessage(message: InboundMessage): Awaitable<Refusal | void>;
  /**
   * first: the first provider returned serves the turn; a throw ends the turn with the plugin's
   * name.
   */
  resolveProvider(want: ModelRef): Awaitable<Provider | void>;
  /** tell: everyone is told after the record is written; a throw is logged and stops nobody. */
  onAuditEvent(event: AuditEvent): Awaitable<void>;
}

export type HookName = keyof Hooks;
export type HookKind = "guard" | "first" | "tell";

/** A hook without a kind does not compile. */
export const hookKinds: { readonly [K in HookName]: HookKind } = Object.freeze({
  beforeToolCall: "guard",
  onInboundMessage: "guard",
  resolveProvider: "first",
  onAuditEvent: "tell",
});

export interface TapOptions {
  readonly order?: "early" | "normal" | "late";
  /** Milliseconds after which silence is a failure (for a guard: a refusal). Default 10,000. */
  readonly timeoutMs?: number;
}

export interface Tap<K extends HookName> {
  tap(handler: Hooks[K], options?: TapOptions): void;
}
export type Taps = { readonly [K in HookName]: Tap<K> };
