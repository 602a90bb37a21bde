import type { GantryError } from "@gantry/sdk";

export type Work = (...args: readonly unknown[]) => unknown;

/** The side of a channel on which values stand: what is alive in them crosses as a number. */
export interface Living {
  give(work: Work): number;
  giveSignal(signal: AbortSignal): number;
  takeWork(id: number): Work;
  takeSignal(id: number): AbortSignal;
}

/** A value in JSON, with the bytes that it names. */
export interface Packed {
  readonly tree: unknown;
  readonly bytes: Uint8Array;
}

/** A plain object with this key is none: it stands for something that JSON does not have. */
export const MARK = "$";

/** An error without its stack, which is its own process' matter. */
export interface PackedError {
  readonly message: string;
  readonly name: string;
  readonly code?: string;
  readonly exit?: GantryError["exit"];
  readonly status?: number;
  /** As `isWithoutAnswer` of the sdk says. */
  readonly unanswered?: true;
}

/** Sets a member of any name, also one that an object has from its prototype. */
export function put(value: object, key: string, member: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(value, key, { value: member, enumerable: true, writable: true });
  else (value as Record<string, unknown>)[key] = member;
}
