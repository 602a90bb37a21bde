import type { Caller, Scope } from "./scope.ts";
import { one } from "../contract/slot.ts";

export type Role = "owner" | "member";

/** The people of the table `[people]`, each of whom may have several doors; filled by the host. */
export interface People {
  /** Whom the table names under a channel: roles by ids, as the channel writes them. */
  roles(channel: string): ReadonlyMap<string, Role>;
  /** What a paired device may: no more than its token, nor than the person whose device it is. */
  may(caller: Caller): readonly Scope[];
  /**
   * Returns who is behind a `<channel>:<user id>`, or behind a device if one is given; undefined for
   * somebody whom the table does not name. Absent in hosts of earlier releases.
   */
  decider?(by: {
    readonly user: string;
    readonly caller?: Caller;
  }): { readonly name: string; readonly role: Role } | undefined;
}
export const People = one<People>("people");
