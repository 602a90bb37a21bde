import { Channels, type ApprovalRequest } from "@gantry/sdk";
import type { Decider } from "@gantry/sdk/fill";
import { withinCaller } from "@gantry/sdk/node";
import type { People } from "../config/people.ts";
import type { Registry } from "../plugins/registry.ts";

/** The facts of a question that say whose it is. */
export type Whose = Pick<ApprovalRequest, "session" | "user" | "device" | "person" | "trust">;

/** The means to say who somebody is. */
export interface Doors {
  readonly people: People;
  readonly registry: Registry;
}

/**
 * The one place that says who decides a question. In a channel its owners do, in the very
 * conversation that was asked. A paired device whose token may decide is the owner's: it decides
 * what another device is asked. An owner of `[people]` decides at any of their doors what they are
 * asked at another. Everywhere else only the person who was asked decides.
 */
export function mayDecide(asked: Whose, by: Decider, doors: Doors): boolean {
  const { people, registry } = doors;
  const { user, caller } = withinCaller(by);
  const decides = caller && people.may(caller).includes("decide");
  if (decides === false) return false;
  const person = people.decider({ user, ...(caller && { caller }) });
  const door = doorOf(user);
  const isChannel = registry.get(Channels)?.has(door) === true;
  const isOwner = decides ?? (isChannel && by.trust === "owner" && person?.role !== "member");
  // A question that somebody else caused is asked of the owner, wherever they are.
  const isOthers = asked.trust !== undefined;
  const isTheirs = isOthers || person?.name === asked.person;
  if (isOwner && person?.role === "owner" && isTheirs) return true;
  if (caller) return asked.device !== undefined;
  if (door !== doorOf(asked.user)) return false;
  return isChannel ? isOwner && (isOthers || by.conversation === asked.session) : user === asked.user;
}

/** Returns the door of `<channel>:<user_id>`. */
function doorOf(user: string): string {
  return user.split(":", 1)[0] as string;
}
