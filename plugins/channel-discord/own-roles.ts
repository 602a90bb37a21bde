import { PlatformFailure } from "@gantry/sdk/channel";
import type { Me } from "./read-message.ts";
import type { Rest } from "./rest.ts";
import type { WireMessage, WireRole } from "./wire.ts";

/** Servers whose answer is remembered. */
const maxGuilds = 200;

/**
 * The role that the platform gives a bot in each server: people who type its name often pick that.
 */
export class OwnRoles {
  readonly #rest: Rest;
  readonly #roles = new Map<string, string | undefined>();

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  /**
   * The role by which a message names the bot, as it stands in its text. What cannot be found out
   * counts as none.
   */
  async nameIn(
    { guild_id, mention_roles = [] }: WireMessage,
    me: Me,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (guild_id === undefined || mention_roles.length === 0) return undefined;
    if (!this.#roles.has(guild_id)) await this.#learn(guild_id, me, signal);
    const own = this.#roles.get(guild_id);
    return own !== undefined && mention_roles.includes(own) ? `<@&${own}>` : undefined;
  }

  async #learn(guild: string, me: Me, signal: AbortSignal): Promise<void> {
    try {
      const roles = await this.#rest.call<readonly WireRole[]>("GET", `/guilds/${guild}/roles`, { signal });
      this.#roles.set(guild, roles.find(({ tags }) => tags?.bot_id === me.id)?.id);
      if (this.#roles.size > maxGuilds) this.#roles.delete(this.#roles.keys().next().value as string);
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
    }
  }
}
