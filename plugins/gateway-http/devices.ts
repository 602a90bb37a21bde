import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { listAll, type Values } from "@gantry/sdk";

export interface Device {
  readonly device_id: string;
  readonly name: string;
  /** ISO 8601. */
  readonly paired: string;
}

type Stored = Device & { readonly hash: string };

const space = "gateway.devices";
const tokenPattern = /^gt_[A-Za-z0-9_-]{43}$/;

/** As the schema of POST /pair has it. */
export const deviceName = "^[^\\u0000-\\u001f\\u007f]{1,64}$";

export function isDeviceName(name: string): boolean {
  return new RegExp(deviceName, "u").test(name);
}

/** Paired devices. Only the SHA-256 of a token is kept; each request looks it up, so a revocation holds at once. */
export class Devices {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  async add(name: string): Promise<{ readonly token: string; readonly device: Device }> {
    const token = `gt_${randomBytes(32).toString("base64url")}`;
    const device = {
      device_id: `d${randomBytes(6).toString("hex")}`,
      name,
      paired: new Date().toISOString(),
    };
    const hash = sha256(token);
    await this.#values.put(space, hash, { ...device, hash } satisfies Stored);
    return { token, device };
  }

  /** The device that a token belongs to. */
  async find(token: string): Promise<Device | undefined> {
    if (!tokenPattern.test(token)) return undefined;
    const hash = sha256(token);
    const stored = await this.#values.get<Stored>(space, hash);
    return stored && timingSafeEqual(Buffer.from(stored.hash), Buffer.from(hash)) ? stored : undefined;
  }

  async list(): Promise<readonly Device[]> {
    const rows = await listAll<Stored>(this.#values, space);
    return rows
      .map(({ value: { device_id, name, paired } }) => ({ device_id, name, paired }))
      .toSorted((a, b) => (a.paired < b.paired ? -1 : 1));
  }

  /** False where there is no such device. */
  async revoke(deviceId: string): Promise<boolean> {
    const row = (await listAll<Stored>(this.#values, space)).find(
      ({ value }) => value.device_id === deviceId,
    );
    return row !== undefined && (await this.#values.remove(space, row.key));
  }
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
