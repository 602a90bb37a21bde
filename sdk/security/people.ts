import type { Awaitable } from "../contract/awaitable.ts";
import { having } from "../contract/shape.ts";
import type { Caller, Scope } from "./scope.ts";
import { many, one } from "../contract/slot.ts";
import type { Trust } from "./trust.ts";

export type Role = "owner" | "member";

/** The people of the table `[people]`, each of whom may have several doors; filled by the host. */
export interface People {
  /**
   * Returns the people whom the table names under a channel: roles by the channel's ids. Nobody
   * has a role at a channel that is not loaded.
   */
  roles(channel: string): ReadonlyMap<string, Role>;
  /**
   * Returns the scopes of a paired device: no more than its token's, nor than those of the person
   * whose device it is.
   */
  may(caller: Caller): readonly Scope[];
  /**
   * Returns who is behind a `<channel>:<user id>`, or behind a device if one is given; undefined
   * for somebody whom the table does not name. Absent in hosts of earlier releases.
   */
  decider?(by: {
    readonly user: string;
    readonly caller?: Caller;
  }): { readonly name: string; readonly role: Role } | undefined;
}
export const People = one<People>("people");

/**
 * Knows how far the people of one door are trusted now. Work that goes on after its message asks
 * again: whoever began it may have lost rights since.
 */
export interface Standing {
  /** The name of a channel, or `devices`. */
  readonly name: string;
  /** Returns the trust of a sender or device by its id; undefined if it may not write any more. */
  trust(id: string): Awaitable<Trust | undefined>;
}
export const Standings = many<Standing>("standings", having("trust"));
