import type { Awaitable } from "../contract/awaitable.ts";
import type { InboundMessage } from "../messages/channel.ts";
import type { Role } from "../security/people.ts";
import type { Trust } from "../security/trust.ts";
import { errors } from "../contract/codes.ts";
import type { CheckRow } from "../contract/command.ts";
import { refuse, type Refusal } from "../contract/hooks.ts";

/** The people who may write, as the configuration names them. */
export interface AllowedPeople {
  /** Ids, or `*` for everyone. Empty: nobody. */
  readonly allowed: readonly string[];
  /**
   * The ids of those who may also approve; if there are none, an id that alone is allowed is the
   * owner.
   */
  readonly owners: readonly string[];
  /**
   * Returns the people whom `[people]` names here, by their ids: `() =>
   * host.needs.people.roles("telegram")`.
   */
  named?(): ReadonlyMap<string, Role>;
  /** False: the sender of a message can be forged, so owners count as members. Default true. */
  readonly sendersProven?: boolean;
}

/** True if an entry of an allowlist means this id. */
export type Matches = (entry: string, id: string) => boolean;

/**
 * Returns how far a person is trusted; undefined if they may not write at all. For whom `[people]`
 * names here, it decides; if it names an owner, nobody is one by being alone in the list.
 */
export function trustOf(
  id: string,
  { allowed, owners, named, sendersProven = true }: AllowedPeople,
  matches: Matches = (entry, one) => entry === one,
): Trust | undefined {
  const owner = sendersProven ? "owner" : "member";
  const roles = named?.();
  const role = roles?.get(id);
  if (role !== undefined) return role === "owner" ? owner : "member";
  if (owners.some((entry) => matches(entry, id))) return owner;
  const isListed = allowed.some((entry) => entry !== "*" && matches(entry, id));
  // An entry that means many is not a single owner.
  const isOnly = allowed.length === 1 && !hasOwner(owners, roles) && allowed[0] === id;
  if (isListed) return isOnly ? owner : "member";
  return allowed.includes("*") ? "guest" : undefined;
}

function hasOwner(owners: readonly string[], roles?: ReadonlyMap<string, Role>): boolean {
  return owners.length > 0 || [...(roles?.values() ?? [])].includes("owner");
}

/**
 * Returns the guard of a channel for `onInboundMessage`, which refuses people unknown to `trust`;
 * `key` names the list in the configuration.
 */
export function strangerGuard(
  channel: string,
  key: string,
  trust: (id: string) => Awaitable<Trust | undefined>,
): (message: InboundMessage) => Promise<Refusal | undefined> {
  return async (message) => {
    const { id } = message.sender;
    if (message.channel !== channel || (await trust(id)) !== undefined) return undefined;
    return refuseStranger(id, key);
  };
}

/**
 * Returns the guard's answer of a channel to somebody who may not write; `key` names the list in
 * the configuration.
 */
export function refuseStranger(id: string, key: string): Refusal {
  return refuse(errors.CHANNEL_NOT_ALLOWED(id, key));
}

/**
 * Returns the row of `status` about who may write; `key` names the list in the configuration,
 * `pairing`: a code may let people in.
 */
export function peopleRow(
  channel: string,
  key: string,
  { allowed, owners, named }: AllowedPeople,
  pairing: boolean = false,
): CheckRow {
  const what = `${channel} allowlist`;
  const cure = `list who may write in ${key}`;
  if (allowed.includes("*")) return { what, state: "warn", detail: "everyone may write (*)", cure };
  const known = new Set([...allowed, ...owners, ...(named?.().keys() ?? [])]).size;
  if (known === 0 && pairing)
    return { what, state: "ok", detail: "only who sends a code of `gantry pair new` may write" };
  if (known === 0) return { what, state: "warn", detail: "nobody may write", cure };
  return { what, state: "ok", detail: `${known} may write` };
}
