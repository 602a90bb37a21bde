import { createHash } from "node:crypto";
import type { AuditEvent, Limits, Observer } from "@gantry/sdk";
import { HOUR, type AlertKind, type Alerts } from "./alerts.ts";

export interface AnomalyConfig {
  readonly enabled: boolean;
  readonly alert_on_blocked_command: boolean;
  readonly max_failed_commands_per_hour: number;
  readonly max_sensitive_file_access_per_hour: number;
}

type Report = Parameters<NonNullable<Observer["toolFinished"]>>[0];
type Whose = Pick<AuditEvent, "tool" | "user" | "session_id">;

/**
 * Watches what is refused and what fails. Counts are in the store, so that a restart forgets none.
 */
export class Detector {
  readonly #config: AnomalyConfig;
  readonly #limits: Limits;
  readonly #alerts: Alerts;

  constructor(config: AnomalyConfig, limits: Limits, alerts: Alerts) {
    this.#config = config;
    this.#limits = limits;
    this.#alerts = alerts;
  }

  /** A code's first word says what was refused, whichever guard refused it. */
  async onAuditEvent(event: AuditEvent): Promise<void> {
    if (!this.#config.enabled || event.event_type !== "security_refusal") return;
    const code = event.result.replace(/^refused: /, "");
    if (code.startsWith("COMMAND_")) await this.#blocked(event, code);
    if (code.startsWith("PATH_")) await this.#sensitive(event);
  }

  async toolFinished({ call, failed, code }: Report): Promise<void> {
    if (!this.#config.enabled) return;
    const whose = { tool: call.tool, user: call.user, session_id: call.session };
    // A wall's no, which no guard foresaw.
    if (code?.startsWith("PATH_")) await this.#sensitive(whose);
    if (!failed || call.effects.commands.length === 0 || code === "TURN_CANCELLED") return;
    const max = this.#config.max_failed_commands_per_hour;
    await this.#count(
      whose,
      "failed_commands",
      max,
      `more than ${max} commands of ${whose.user} failed within an hour.`,
    );
  }

  async #blocked(event: AuditEvent, code: string): Promise<void> {
    if (!this.#config.alert_on_blocked_command) return;
    const { tool, user, session_id, args } = event;
    await this.#alerts.raise({
      kind: "blocked_command",
      mark: createHash("sha256").update(JSON.stringify(args)).digest("base64url"),
      sentence: `a command of ${user} was blocked (${code}).`,
      details: { code, ...args },
      tool,
      user,
      session_id,
    });
  }

  async #sensitive(whose: Whose): Promise<void> {
    const max = this.#config.max_sensitive_file_access_per_hour;
    await this.#count(
      whose,
      "sensitive_file_access",
      max,
      `${whose.user} tried to reach closed or sensitive files more than ${max} times within an hour.`,
    );
  }

  async #count(
    { tool, user, session_id }: Whose,
    kind: AlertKind,
    max: number,
    sentence: string,
  ): Promise<void> {
    const { ok } = await this.#limits.hit(`anomaly:${kind}:${user}`, [{ ms: HOUR, max }]);
    if (ok) return;
    await this.#alerts.raise({
      kind,
      mark: "",
      sentence,
      details: { max_per_hour: max },
      tool,
      user,
      session_id,
    });
  }
}
