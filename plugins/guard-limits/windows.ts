import type { Window } from "@gantry/sdk/fill";

export interface LimitsConfig {
  readonly rate_limit_per_minute: number;
  readonly max_actions_per_hour: number;
  readonly max_actions_per_day: number;
}

/** One of the three limits, as the store counts it and as people know it. */
export interface ActionWindow extends Window {
  readonly key: keyof LimitsConfig;
  readonly span: string;
}

export function windowsOf(config: LimitsConfig): readonly ActionWindow[] {
  return [
    { ms: 60_000, max: config.rate_limit_per_minute, key: "rate_limit_per_minute", span: "minute" },
    { ms: 3_600_000, max: config.max_actions_per_hour, key: "max_actions_per_hour", span: "hour" },
    { ms: 86_400_000, max: config.max_actions_per_day, key: "max_actions_per_day", span: "day" },
  ];
}
