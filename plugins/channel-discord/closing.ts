import { errors } from "./errors.ts";

/** The next step for a session whose connection ended. */
export type Next =
  /** It is gone on with. */
  | "resume"
  /** It is over: another one begins. */
  | "identify";

/** The gateway refuses the bot; the message is a sentence with the cure. */
export class GatewayRefusal extends Error {
  /**
   * `intent`: until it is switched on at the platform. `version`: until this program or its
   * configuration is another.
   */
  readonly kind: "token" | "intent" | "version";

  constructor(kind: GatewayRefusal["kind"], sentence: string) {
    super(sentence);
    this.kind = kind;
  }
}

/** After these a session is gone: https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const gone = new Set([1000, 1001, 4003, 4007, 4009]);

/** Returns what a close code means. Throws {@link GatewayRefusal} if no reconnecting helps. */
export function nextAfter(code: number): Next {
  switch (code) {
    case 4004:
      throw new GatewayRefusal("token", errors.DISCORD_TOKEN_CLOSED().message);
    case 4010:
    case 4011:
      throw new GatewayRefusal("version", errors.DISCORD_SHARDS(code).message);
    case 4012:
    case 4013:
      throw new GatewayRefusal("version", errors.DISCORD_VERSION(code).message);
    case 4014:
      throw new GatewayRefusal("intent", errors.DISCORD_INTENT().message);
    default:
      return gone.has(code) ? "identify" : "resume";
  }
}
