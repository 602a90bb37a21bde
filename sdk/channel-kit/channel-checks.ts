import type { Check, CheckRow } from "../contract/command.ts";

export interface ChannelRows {
  /** What is known without asking the platform, for `status` and `doctor`. */
  standing(): Promise<readonly CheckRow[]>;
  /** What the platform says, for `channel doctor`. */
  platform(signal: AbortSignal): Promise<readonly CheckRow[]>;
}

/** The checks of one channel. */
export function channelChecks(channel: string, { standing, platform }: ChannelRows): readonly Check[] {
  return [
    { name: `${channel}-status`, kind: "status", run: standing },
    { name: `${channel}-doctor`, kind: "doctor", run: standing },
    { name: channel, kind: "channel", run: platform },
  ];
}

/** The rows that `look` gives, or its detail as a row that is well; one that fails with the error's sentence if it throws. */
export async function rowsOf(
  what: string,
  look: () => string | Promise<string | readonly CheckRow[]>,
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
