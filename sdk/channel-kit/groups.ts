import { Type } from "typebox";
import type { Static } from "typebox";

/** The key `groups` of a channel's table. */
export const GroupsKey = Type.Union([Type.Literal("off"), Type.Literal("mention"), Type.Literal("all")], {
  default: "mention",
  description:
    "What counts in a group: `off` nothing, `mention` what names the agent, answers it or is a command to it, `all` everything.",
});
export type Groups = Static<typeof GroupsKey>;

export interface Written {
  readonly kind: "direct" | "group";
  /** The group's own id, not a topic's or a thread's. */
  readonly group: string;
  /** The agent was named, answered, or given a command. */
  readonly mentioned: boolean;
}

/**
 * Returns true if a message is for the agent by its place alone; who wrote it is asked after that.
 * `ids`: empty means all groups.
 */
export function isForAgent(
  { kind, group, mentioned }: Written,
  groups: Groups,
  ids: readonly string[] = [],
): boolean {
  if (kind === "direct") return true;
  if (groups === "off" || (ids.length > 0 && !ids.includes(group))) return false;
  return groups === "all" || mentioned;
}
