import type { AuditEvent } from "../contract/hooks.ts";
import type { Awaitable } from "../contract/awaitable.ts";
import { many, one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";

/**
 * The place to which audit records go. The record is on disk when the promise resolves; a throw
 * stops the call it belongs to.
 */
export interface AuditSink {
  readonly name: string;
  write(event: AuditEvent): Promise<void>;
}
export const AuditSinks = many<AuditSink>("audit-sinks", having("write"));

/**
 * The one way an event is recorded; filled by the host, which stamps and redacts. Throws
 * `AUDIT_FAILED`.
 */
export interface Audit {
  record(event: Omit<AuditEvent, "timestamp">): Promise<void>;
  /**
   * Records an event that a stranger may cause as often as they like, such as a refusal: 60 of a
   * type are written in a minute, and the next one written counts the others in `args.unrecorded`.
   */
  recordStranger(event: Omit<AuditEvent, "timestamp">): Promise<void>;
}
export const Audit = one<Audit>("audit");

/**
 * Removes what must not leave: from replies, logs and the audit. A throw means: nothing is sent.
 * Replies that an owner waits for, at the terminal or over HTTP, pass it only if
 * `security.redact_for_owner` is true.
 */
export interface Redactor {
  readonly name: string;
  /**
   * Returns the text without what must not leave. A promise makes the text wait, in its order, for
   * as long as a guard may take; answers, steps and log lines that come after it wait too. The log
   * holds 1,000 lines back, leaves out the lines above that number and says how many. The lines
   * that `redact` itself logs while it works on a line of the log are left out.
   */
  redact(text: string): Awaitable<string>;
  /**
   * The characters of a stream that must be held back, so that nothing is missed across two pieces.
   */
  readonly holdBack: number;
}
export const Redactors = many<Redactor>("redactors", (redactor: Redactor) => {
  const missing = having("redact")(redactor);
  return missing ?? (redactor.holdBack >= 0 ? undefined : "has no holdBack");
});
