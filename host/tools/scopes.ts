import { scopes } from "@gantry/sdk/fill";
import type { Caller, Scope, Trust } from "@gantry/sdk";

const talk: readonly Scope[] = ["talk"];

/** The person for whom a message or a turn speaks. */
export interface Speaker {
  readonly trust: Trust;
  readonly caller?: Caller | undefined;
}

/** Returns the scopes of a turn: those of its token; without one an owner has all, others talk. */
export function scopesOf({ trust, caller }: Speaker): readonly Scope[] {
  return caller?.may ?? (trust === "owner" ? scopes : talk);
}
