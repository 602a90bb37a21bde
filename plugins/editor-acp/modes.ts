import type { SessionModeState } from "@agentclientprotocol/sdk";
import type { Autonomy } from "@gantry/sdk";
import { autonomyLevels, isWider } from "@gantry/sdk/fill";
import { printable } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

const described: Readonly<Record<Autonomy, readonly [name: string, description: string]>> = {
  supervised: ["Supervised", "Asks before every call of a tool."],
  "semi-autonomous": ["Semi-autonomous", "Asks before calls that change or send something."],
  autonomous: ["Autonomous", "Asks nothing: what would need a person is refused."],
};

/** Returns the levels that a session can have: those that are not wider than the configured one. */
function levelsWithin(most: Autonomy): readonly Autonomy[] {
  return autonomyLevels.filter((level) => !isWider(level, most));
}

export function modesOf(current: Autonomy, most: Autonomy): SessionModeState {
  const availableModes = levelsWithin(most).map((id) => {
    const [name, description] = described[id];
    return { id, name, description };
  });
  return { currentModeId: current, availableModes };
}

/** Throws ACP_MODE_UNKNOWN, also for a level that is wider than the configured one. */
export function modeOf(id: string, most: Autonomy): Autonomy {
  const levels = levelsWithin(most);
  const mode = levels.find((level) => level === id);
  if (mode === undefined) throw errors.ACP_MODE_UNKNOWN(printable(id, 40), levels.join(", "));
  return mode;
}
