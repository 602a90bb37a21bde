import type { Socket } from "@gantry/sdk";
import { PlatformFailure } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";

/** After these a session is gone: https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const gone = new Set([1000, 1001, 4003, 4007, 4009]);

export interface Ending {
  /** The next connection goes on with the session; else the session is over. */
  readonly resumes: boolean;
  readonly reason: string;
}

/** The gateway takes nothing of this program or its configuration, so no other try helps. */
export class GatewayRefusal extends Error {}

/** Returns what a close code means. Throws if the platform refuses the bot. */
export function endingAfter({ code, reason }: Awaited<Socket["closed"]>): Ending {
  if (code === 4004) throw new PlatformFailure("account", errors.DISCORD_TOKEN_CLOSED().message);
  if (code === 4014) throw new PlatformFailure("account", errors.DISCORD_INTENT().message);
  if (code === 4010 || code === 4011) throw new GatewayRefusal(errors.DISCORD_SHARDS(code).message);
  if (code === 4012 || code === 4013) throw new GatewayRefusal(errors.DISCORD_VERSION(code).message);
  const words = reason === "" ? "" : `, ${reason.slice(0, 120)}`;
  return { resumes: !gone.has(code), reason: `the connection was closed (${code}${words})` };
}
