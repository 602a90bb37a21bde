import type { Check, CheckRow } from "../contract/command.ts";
import type { ChannelHealth } from "./health.ts";

export interface ChannelRows {
  /** Returns what is known without asking the platform, for `status` and `doctor`. */
  standing(): Promise<readonly CheckRow[]>;
  /** Returns what the platform says, for `channel doctor`; left out, there is no such check. */
  platform?(signal: AbortSignal): Promise<readonly CheckRow[]>;
  /** The connection: its row stands at the end of both, and `GET /ready` and alerts know of it. */
  readonly health?: ChannelHealth;
}

/** Makes the checks of one channel. */
export function channelChecks(
  channel: string,
  { standing: known, platform, health }: ChannelRows,
): readonly Check[] {
  const connection = async (): Promise<readonly CheckRow[]> => (health ? [await health.row()] : []);
  const standing = async (): Promise<readonly CheckRow[]> => [...(await known()), ...(await connection())];
  const checks: Check[] = [
    { name: `${channel}-status`, kind: "status", run: standing },
    { name: `${channel}-doctor`, kind: "doctor", run: standing },
  ];
  if (health) checks.push(health.ready);
  if (platform) {
    const run = async (signal: AbortSignal) => [...(await platform(signal)), ...(await connection())];
    checks.push({ name: channel, kind: "channel", run });
  }
  return checks;
}

/**
 * Returns the rows that `look` gives, or its detail as a row that is well; one that fails with the
 * error's sentence if it throws.
 */
export async function rowsOf(
  what: string,
  look: () => string | readonly CheckRow[] | Promise<string | readonly CheckRow[]>,
  cure?: string,
): Promise<readonly CheckRow[]> {
  try {
    const found = await look();
    return typeof found === "string" ? [{ what, state: "ok", detail: found }] : found;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ what, state: "fail", detail, ...(cure !== undefined && { cure }) }];
  }
}
