import { AuditSinks, errors, type Audit as AuditSlot, type AuditEvent } from "@gantry/sdk";
import { asError, deepFreeze, isPromise, together } from "@gantry/sdk/node";
import { currentTrace } from "../plugins/attribution.ts";
import type { HookTable } from "../plugins/hook-table.ts";
import type { Redaction } from "./redaction.ts";
import type { Registry } from "../plugins/registry.ts";
import { StrangersRecords } from "./strangers-records.ts";

/** Longer strings are cut in the record: the log says what was asked for, it copies no files. */
const maxString = 4_096;

/** The one way an event is recorded: stamped, redacted, written by every sink, then told. */
export class Audit implements AuditSlot {
  readonly #registry: Registry;
  readonly #hooks: HookTable;
  readonly #redaction: Redaction;
  readonly #strangers = new StrangersRecords();

  constructor(registry: Registry, hooks: HookTable, redaction: Redaction) {
    this.#registry = registry;
    this.#hooks = hooks;
    this.#redaction = redaction;
  }

  /** Resolves once every sink has it on disk; throws AUDIT_FAILED. */
  async record(event: Omit<AuditEvent, "timestamp">): Promise<void> {
    const { event_type, tool, args, result, user, session_id } = event;
    const stamp = { timestamp: new Date().toISOString(), event_type, tool };
    const trace = event.trace ?? currentTrace()?.traceparent;
    let record: AuditEvent;
    try {
      const clean = together<unknown>([this.#redaction.value(args), this.#redaction.text(result)]);
      const [asked, said] = isPromise(clean) ? await clean : clean;
      record = deepFreeze({
        ...stamp,
        args: shorten(asked) as AuditEvent["args"],
        result: said as string,
        // The person is what the log is for, also if the name is a telephone number.
        user,
        session_id,
        ...(trace !== undefined && { trace }),
      });
      const sinks = this.#registry.get(AuditSinks) ?? new Map();
      await Promise.all([...sinks.values()].map((sink) => sink.write(record)));
    } catch (error) {
      throw errors.AUDIT_FAILED(asError(error));
    }
    await this.#hooks.tell(record);
  }

  async recordStranger(event: Omit<AuditEvent, "timestamp">): Promise<void> {
    const unrecorded = this.#strangers.take(event.event_type);
    if (unrecorded === undefined) return;
    await this.record(unrecorded === 0 ? event : { ...event, args: { ...event.args, unrecorded } });
  }
}

function shorten(value: unknown): unknown {
  if (typeof value === "string")
    return value.length <= maxString ? value : `${value.slice(0, maxString)}… (${value.length} characters)`;
  if (Array.isArray(value)) return value.map(shorten);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item)]));
}
