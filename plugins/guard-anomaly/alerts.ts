import { listAll, type Audit, type Logger, type Values } from "@gantry/sdk";

export const HOUR = 3_600_000;
const SPACE = "anomaly";

export type AlertKind = "blocked_command" | "failed_commands" | "sensitive_file_access";

export interface Alert {
  readonly kind: AlertKind;
  /** Alerts with the same mark are one alert, for an hour. */
  readonly mark: string;
  readonly sentence: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly tool: string;
  readonly user: string;
  readonly session_id: string;
}

export interface RaisedAlert {
  readonly kind: AlertKind;
  readonly user: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Raises alerts: an audit record `anomaly` and a warning in the log, once per hour for what is the
 * same.
 */
export class Alerts {
  readonly #values: Values;
  readonly #audit: Audit;
  readonly #log: Logger;

  constructor(values: Values, audit: Audit, log: Logger) {
    this.#values = values;
    this.#audit = audit;
    this.#log = log;
  }

  async raise({ kind, mark, sentence, details, tool, user, session_id }: Alert): Promise<void> {
    const raised: RaisedAlert = { kind, user, at: new Date().toISOString() };
    if (!(await this.#values.add(SPACE, `${kind}:${user}:${mark}`, raised, { forMs: HOUR }))) return;
    this.#log.warn({ anomaly: kind, user, tool }, `Anomaly: ${sentence}`);
    await this.#audit.record({
      event_type: "anomaly",
      tool,
      args: { anomaly: kind, ...details },
      result: `alert: ${kind}`,
      user,
      session_id,
    });
  }

  /** Those of the last hour, oldest first. */
  async recent(): Promise<readonly RaisedAlert[]> {
    const listed = await listAll<RaisedAlert>(this.#values, SPACE);
    return listed.map(({ value }) => value).toSorted((a, b) => (a.at < b.at ? -1 : 1));
  }
}
