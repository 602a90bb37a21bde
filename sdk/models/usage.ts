/** The cost of one request to a model. */
export interface UsageRow {
  /** Unix ms. */
  readonly at: number;
  /** `<channel>:<user_id>` */
  readonly user: string;
  readonly session: string;
  /** The agent that asked, if a turn ran as one; left out for the service's main agent. */
  readonly agent?: string;
  /**
   * The purpose of the request: `turn` or `summary`; records of earlier releases also have `probe`.
   */
  readonly purpose: string;
  readonly provider: string;
  /** Null if the provider chose. */
  readonly model: string | null;
  readonly input: number;
  readonly output: number;
  /** The part of `input` that the provider read from its cache. */
  readonly cached: number;
  /** True if the server told no tokens, so that these are guessed. */
  readonly isEstimated?: boolean;
  /** Millionths of a US dollar by `[prices]`; null if the model has no price there. */
  readonly micros: number | null;
  readonly ms: number;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
}

/** Rows of one day, model, user or agent, added up. */
export interface UsageSum {
  readonly key: string;
  readonly requests: number;
  readonly failed: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly micros: number;
  /** Requests whose tokens are guessed, since the server told none. */
  readonly estimated: number;
  /** Requests of models without a price. */
  readonly unpriced: number;
}

/** By what rows are added up. */
export type UsageKey = "day" | "model" | "user" | "agent";

/** The cost of requests, one row each. */
export interface Usage {
  add(row: UsageRow): Promise<void>;
  /**
   * Sums since a time (Unix ms), of all users or one; days are UTC, newest first; the others by
   * what they took, most first. The service's main agent has the key `""`.
   */
  sum(by: UsageKey, since: number, user?: string): Promise<readonly UsageSum[]>;
}
