import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isScope, scopes } from "@gantry/sdk/fill";
import { listAll, type Caller, type Scope, type Trust, type Values } from "@gantry/sdk";
import type { PairingGrant } from "@gantry/sdk/node";

export interface Device {
  readonly device_id: string;
  readonly name: string;
  /** ISO 8601. */
  readonly paired: string;
  readonly may: readonly Scope[];
  /** ISO 8601; undefined: until it is revoked. */
  readonly expires?: string;
  /** ISO 8601, to some minutes; undefined: not yet. */
  readonly used?: string;
  /** Given: an earlier release paired it, which noted no use of a token. */
  readonly earlier?: true;
  /** Given: its name is not its alone, so `[people]` names it by its id. */
  readonly byId?: true;
}

/** The stored form of a device; a token of an earlier release has neither scopes nor an end. */
interface Stored extends Pick<Device, "device_id" | "name" | "paired" | "expires"> {
  readonly hash: string;
  readonly may?: unknown;
  /** True if no other device had the name when this one was paired. */
  readonly first?: boolean;
}

/** The owner of a token, and the time until which it counts. */
export interface Known {
  readonly caller: Caller;
  readonly expires: string | undefined;
}

const space = "gateway.devices";
const usedSpace = "gateway.used";
const dayMs = 86_400_000;
/** Milliseconds in which the last use of a token is written down once, not with every request. */
const usedMs = 10 * 60_000;
const tokenPattern = /^gt_[A-Za-z0-9_-]{43}$/;
const idPattern = /^d[0-9a-f]{12}$/;

/** As the schema of POST /pair has it. */
export const deviceName = "^[^\\u0000-\\u001f\\u007f]{1,64}$";

export function isDeviceName(name: string): boolean {
  return new RegExp(deviceName, "u").test(name);
}

/**
 * Paired devices. Only the SHA-256 of a token is kept; each request looks it up, so a revocation
 * holds at once.
 */
export class Devices {
  readonly #values: Values;
  readonly #now: () => number;
  readonly #marked = new Map<string, number>();

  constructor(values: Values, now: () => number = Date.now) {
    this.#values = values;
    this.#now = now;
  }

  async add(
    given: string,
    { may, name, days }: PairingGrant = { may: scopes },
  ): Promise<{ readonly token: string; readonly device: Device }> {
    const token = `gt_${randomBytes(32).toString("base64url")}`;
    const now = this.#now();
    const device = {
      device_id: `d${randomBytes(6).toString("hex")}`,
      name: name ?? given,
      paired: new Date(now).toISOString(),
      may,
      ...(days !== undefined && { expires: new Date(now + days * dayMs).toISOString() }),
    };
    const hash = sha256(token);
    // A name that the device gave itself, that another has, or that looks like an id is nobody's.
    const others = (await this.#rows()).filter(({ value }) => !this.isOver(value.expires));
    const first =
      name !== undefined && !idPattern.test(name) && others.every(({ value }) => value.name !== name);
    const isWhole = days === undefined && scopes.every((scope) => may.includes(scope));
    const stored: Stored = { ...device, hash: isWhole ? hash : scopedHash(token), first };
    await this.#values.put(space, hash, stored);
    return { token, device };
  }

  /** Returns the device that a token belongs to, also if the token has expired. */
  async find(token: string): Promise<Known | undefined> {
    if (!tokenPattern.test(token)) return undefined;
    const hash = sha256(token);
    const stored = await this.#values.get<Stored>(space, hash);
    if (!stored) return undefined;
    const kept = Buffer.from(stored.hash);
    if (![hash, scopedHash(token)].some((one) => timingSafeEqual(kept, Buffer.from(one)))) return undefined;
    return { caller: callerOf(stored), expires: stored.expires };
  }

  /**
   * Returns how far a device is trusted by the scopes that `held` leaves it; undefined if it is
   * over.
   */
  async trust(id: string, held: (caller: Caller) => readonly Scope[]): Promise<Trust | undefined> {
    const stored = (await this.#rows()).find(({ value }) => value.device_id === id)?.value;
    if (!stored || this.isOver(stored.expires)) return undefined;
    return held(callerOf(stored)).includes("decide") ? "owner" : "member";
  }

  /** Returns true if this time is past. */
  isOver(expires: string | undefined): boolean {
    return expires !== undefined && !(Date.parse(expires) > this.#now());
  }

  /** Notes that a token was used; whoever asks does not wait for it. */
  used(device: string): void {
    const now = this.#now();
    if (now - (this.#marked.get(device) ?? -Infinity) < usedMs) return;
    this.#marked.set(device, now);
    // When a token was last used is for people to read: no request fails because it is not known.
    void this.#values.put(usedSpace, device, new Date(now).toISOString()).catch(() => {});
  }

  async hasAny(): Promise<boolean> {
    return (await this.#values.list(space, { limit: 1 })).length > 0;
  }

  async list(): Promise<readonly Device[]> {
    const rows = await this.#rows();
    const uses = await listAll<string>(this.#values, usedSpace);
    const used = new Map(uses.map(({ key, value }) => [key, value]));
    return rows
      .map(({ value }) => {
        const { device_id, name, paired, expires, first } = value;
        const last = used.get(device_id);
        return {
          device_id,
          name,
          paired,
          may: scopesOf(value),
          ...(expires !== undefined && { expires }),
          ...(last !== undefined && { used: last }),
          ...(value.may === undefined && { earlier: true as const }),
          ...(first !== true && { byId: true as const }),
        };
      })
      .toSorted((a, b) => (a.paired < b.paired ? -1 : 1));
  }

  /** Returns false if there is no such device. */
  async revoke(deviceId: string): Promise<boolean> {
    const row = (await this.#rows()).find(({ value }) => value.device_id === deviceId);
    if (row === undefined) return false;
    await this.#values.remove(usedSpace, deviceId);
    return this.#values.remove(space, row.key);
  }

  #rows(): Promise<readonly { readonly key: string; readonly value: Stored }[]> {
    return listAll<Stored>(this.#values, space);
  }
}

function callerOf(stored: Stored): Caller {
  const { device_id: device, name, first } = stored;
  return { device, may: scopesOf(stored), ...(first === true && { name }) };
}

/** Returns a token's scopes: all for one of an earlier release, none if they cannot be read. */
function scopesOf({ may }: Stored): readonly Scope[] {
  if (may === undefined) return scopes;
  return Array.isArray(may) ? may.filter(isScope) : [];
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Returns the hash that is kept of a token that may not do all for ever. A release that knows no
 * scopes looks for another one, so the token opens nothing there.
 */
function scopedHash(token: string): string {
  return sha256(`scoped ${token}`);
}
