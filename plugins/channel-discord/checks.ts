import type { CheckRow } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { Rest } from "./rest.ts";
import { wrongKindOfToken, type Settings } from "./settings.ts";
import type { WireApplication, WireGateway, WireGuild, WireUser } from "./wire.ts";

/**
 * See channels and their history, write in them and in threads, send files:
 * https://docs.discord.com/developers/topics/permissions
 */
const permissions = (1n << 10n) | (1n << 11n) | (1n << 15n) | (1n << 16n) | (1n << 38n);
/** Flags of an application that may be given words, in few and in many servers: https://docs.discord.com/developers/resources/application#application-object-application-flags */
const contentFlags = (1 << 18) | (1 << 19);
/** So few starts left on a day tell that something connects again and again. */
const fewStarts = 50;

/** Returns a sentence about the token; throws DISCORD_BAD_TOKEN. */
export function accountOf(settings: Settings): string {
  const { origin } = new URL(settings.address());
  const wrong = wrongKindOfToken(settings.token);
  if (wrong !== undefined) throw errors.DISCORD_BAD_TOKEN(wrong);
  return `a bot token for ${origin}`;
}

/** Asks the platform whose token it is and what the bot may; throws if it refuses. */
export async function platformRows(
  settings: Settings,
  rest: Rest,
  signal: AbortSignal,
): Promise<readonly CheckRow[]> {
  const me = await rest.call<WireUser>("GET", "/users/@me", { signal });
  const application = await rest.call<WireApplication>("GET", "/applications/@me", { signal });
  const guilds = await rest.call<readonly WireGuild[]>("GET", "/users/@me/guilds?limit=200", { signal });
  const gateway = await rest.call<WireGateway>("GET", "/gateway/bot", { signal });
  const detail = `the platform knows the bot ${me.username ?? me.id}`;
  return [
    { what: "discord", state: "ok", detail },
    ...intentRows(application, settings),
    ...guildRows(guilds, application, settings),
    ...startRows(gateway),
  ];
}

function intentRows({ flags }: WireApplication, { groups }: Settings): readonly CheckRow[] {
  if (groups === "off" || ((flags ?? 0) & contentFlags) !== 0) return [];
  return [{ what: "discord intents", state: "fail", detail: errors.DISCORD_INTENT().message }];
}

function guildRows(
  guilds: readonly WireGuild[],
  { id }: WireApplication,
  { guildIds }: Settings,
): readonly CheckRow[] {
  const what = "discord servers";
  const cure = `invite it: https://discord.com/oauth2/authorize?client_id=${id}&scope=bot&permissions=${permissions}`;
  const missing = guildIds.filter((wanted) => !guilds.some((guild) => guild.id === wanted));
  if (missing.length > 0)
    return [{ what, state: "warn", detail: `the bot is not in ${missing.join(", ")} of guild_ids`, cure }];
  if (guilds.length > 0) return [];
  return [{ what, state: "warn", detail: "the bot is in no server, so nobody can write to it", cure }];
}

function startRows({ session_start_limit: limit }: WireGateway): readonly CheckRow[] {
  if (limit === undefined || limit.remaining >= fewStarts) return [];
  const detail = `${limit.remaining} of ${limit.total} connections of a day are left`;
  const cure = "look whether another program connects with this token again and again";
  return [{ what: "discord starts", state: "warn", detail, cure }];
}
