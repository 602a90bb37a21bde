/** Levels of `agent.autonomy_level`, the narrowest first. */
export const autonomyLevels = ["supervised", "semi-autonomous", "autonomous"] as const;

/** The freedom of a turn to act without a person: `supervised` asks before every call. */
export type Autonomy = (typeof autonomyLevels)[number];

/** Returns true if the first level lets a turn do more without a person than the second. */
export function isWider(level: Autonomy, than: Autonomy): boolean {
  return autonomyLevels.indexOf(level) > autonomyLevels.indexOf(than);
}
