import type { Conversation, Json, Sources, Trust } from "@gantry/sdk";

/** When a job is due: exactly one of the three. */
export interface Schedule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron?: string;
  /** A number of minutes, hours or days: `90m`, `2h`, `1d`. */
  readonly every?: string;
  /** A date and time, in the time zone unless it says its own. */
  readonly at?: string;
  /** An IANA name. Default: that of the machine. */
  readonly time_zone?: string;
}

/** The place where a job says what came of it. */
export interface Place {
  readonly channel: string;
  readonly conversation: Conversation;
  /** The channel's own address. */
  readonly to: Json;
}

/**
 * Returns where a job is answered and whose rights it has: of whoever is told there, else of
 * `otherwise`, who is the owner.
 */
export function toldTo(
  channel: string | undefined,
  to: string | undefined,
  otherwise: string,
): Pick<Job, "place" | "by"> {
  if (channel === undefined || to === undefined) return { place: undefined, by: otherwise };
  return { place: { channel, conversation: { id: to, kind: "direct" }, to }, by: `${channel}:${to}` };
}

/** A prompt that runs at its time. */
export interface Job extends Schedule {
  readonly name: string;
  readonly prompt: string;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** Tokens in and out of one run at most. */
  readonly budget?: number | undefined;
  /** The treatment of a due time that nobody was there for. */
  readonly on_missed: "run" | "skip";
  readonly place: Place | undefined;
  /** The person whose rights it has: `<channel>:<id>`. */
  readonly by: string;
  /** The trust in whoever made it: with less it does not run. Absent: it has what `by` has. */
  readonly trust?: Trust;
  /** The sources of the conversation in which the job was made. */
  readonly sources?: Sources | undefined;
  /** Unix ms; no due time lies before it. */
  readonly made: number;
  /** True if it stands in the configuration file. */
  readonly isConfigured: boolean;
}

/** The outcome of one due time. */
export interface JobRun {
  readonly job: string;
  /** ISO 8601, UTC. */
  readonly due: string;
  readonly state: "begun" | "done" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  readonly reason?: string;
  /** ISO 8601, UTC. */
  readonly begun: string;
  readonly ended?: string;
  readonly tokens?: number;
  /** The first characters of the answer. */
  readonly answer?: string;
}
