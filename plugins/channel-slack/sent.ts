import type { Sent } from "@gantry/sdk";
import { SlackFailure } from "./web-failure.ts";

/** What a call came to, in the host's words. Never throws. */
export async function sentOf(call: () => Promise<string>): Promise<Sent> {
  try {
    return { status: "sent", id: await call() };
  } catch (error) {
    if (!(error instanceof SlackFailure)) return { status: "retry", reason: String(error) };
    const { kind, message: reason, afterMs } = error;
    if (kind === "account" || kind === "away") return { status: "retry", reason, scope: "channel" };
    if (kind === "rate" && afterMs !== undefined) return { status: "retry", reason, afterMs };
    return { status: kind === "again" ? "retry" : "refused", reason };
  }
}
