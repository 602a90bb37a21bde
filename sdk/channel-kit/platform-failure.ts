import type { Sent } from "../messages/channel.ts";
import { GantryError } from "../contract/errors.ts";
import { isWithoutAnswer } from "../tools/net.ts";
import type { Trouble } from "./connection.ts";

/** The meaning of a failed call to a platform for what was to be done. */
export type FailureKind =
  /** The account, its token or its rights are refused: nothing works until a person corrects it. */
  | "account"
  /** The platform asked to wait. */
  | "rate"
  /** Too much was refused, so nothing is called for a while. */
  | "paused"
  /** The form of the message was not understood. */
  | "form"
  /** It will never work for this place or message. */
  | "refused"
  /** The platform cannot be reached, which is true of every call. */
  | "away"
  /** It may work later. */
  | "again";

/** A call to a platform that failed; the message is a sentence for people, without a secret. */
export class PlatformFailure extends Error {
  readonly kind: FailureKind;
  /** Milliseconds: the wait that was asked for. */
  readonly afterMs: number | undefined;
  /** True if the call may have been done: it went out, and nothing came back that can be read. */
  readonly unsure: boolean;
  /** The platform's own word for it; empty if it said none. */
  readonly code: string;

  constructor(
    kind: FailureKind,
    sentence: string,
    afterMs?: number,
    unsure: boolean = false,
    code: string = "",
  ) {
    super(sentence);
    this.kind = kind;
    this.afterMs = afterMs;
    this.unsure = unsure;
    this.code = code;
  }
}

export interface ReachOptions {
  /** Takes the secrets out of what is thrown. */
  scrub(text: string): string;
  /**
   * Codes of errors of the channel itself that mean `refused`; any other but `NET_*` means that the
   * account is wrong.
   */
  readonly refused?: readonly string[];
}

/**
 * Runs a call to a platform. An error before an answer came is a {@link PlatformFailure} as well.
 */
export async function reach<T>(work: () => Promise<T>, { scrub, refused = [] }: ReachOptions): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformFailure) throw error;
    const sentence = scrub(error instanceof Error ? error.message : String(error));
    throw new PlatformFailure(kindOf(error, refused), sentence, undefined, isWithoutAnswer(error));
  }
}

function kindOf(error: unknown, refused: readonly string[]): FailureKind {
  if (!(error instanceof GantryError)) return "again";
  if (error.code === "NET_REFUSED") return "away";
  if (error.code.startsWith("NET_")) return "again";
  return refused.includes(error.code) ? "refused" : "account";
}

/**
 * Returns the outcome of a call that sends a message and resolves to its id, empty if the platform
 * names none. Never throws.
 */
export async function sentOf(call: () => Promise<string | number>): Promise<Sent> {
  try {
    const id = String(await call());
    return id === "" ? { status: "sent" } : { status: "sent", id };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) return { status: "retry", reason: String(error) };
    const { kind, message: reason, afterMs } = error;
    const wait = {
      ...(afterMs !== undefined && { afterMs }),
      ...(error.unsure && { unsure: true as const }),
    };
    if (kind === "account") return { status: "retry", reason, scope: "channel" };
    if (kind === "away") return { status: "retry", reason, scope: "channel", ...wait };
    if (kind === "paused") return { status: "retry", reason, scope: "channel", ...wait };
    if (kind === "rate" || kind === "again") return { status: "retry", reason, ...wait };
    return { status: "refused", reason };
  }
}

/** Returns what a failed call means for the connection that made it. */
export function troubleOf(error: unknown): Trouble {
  const reason = error instanceof Error ? error.message : String(error);
  if (!(error instanceof PlatformFailure)) return { reason };
  const { kind, afterMs } = error;
  if (kind === "account") return { reason, refused: true };
  return afterMs === undefined ? { reason } : { reason, afterMs };
}
