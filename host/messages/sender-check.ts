import { laneOf, userOf } from "@gantry/sdk/fill";
import type { InboundMessage, Logger } from "@gantry/sdk";
import type { HookTable } from "../plugins/hook-table.ts";
import type { Audit } from "../record/audit.ts";

export interface SenderCheckDeps {
  readonly hooks: HookTable;
  readonly audit: Audit;
  readonly log: Logger;
}

/** The guards' check of a message as it arrives, and again if the configuration is new since. */
export class SenderCheck {
  readonly #deps: SenderCheckDeps;

  constructor(deps: SenderCheckDeps) {
    this.#deps = deps;
  }

  /** Returns why not, or undefined; logs and audits a refusal within a bound, without a reply. */
  async refusal(message: InboundMessage): Promise<string | undefined> {
    const { hooks, log, audit } = this.#deps;
    const verdict = await hooks.guard("onInboundMessage", message);
    if (!("verdict" in verdict)) return undefined;
    const user = userOf(message);
    log.warn({ stranger: user, code: verdict.code }, `A message was ignored: ${verdict.reason}`);
    const event = {
      event_type: "inbound_ignored",
      tool: "",
      args: { message_id: message.id },
      result: `ignored: ${verdict.code}`,
    } as const;
    await audit
      .recordStranger({ ...event, user, session_id: laneOf(message) })
      .catch((error: Error) => log.error({ code: "AUDIT_FAILED" }, error.message));
    return verdict.reason;
  }
}
