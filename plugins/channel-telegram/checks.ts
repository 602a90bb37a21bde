import type { CheckRow } from "@gantry/sdk";
import type { BotApi } from "./bot-api.ts";
import { errors } from "./errors.ts";
import { isBotToken, type Settings } from "./settings.ts";
import type { WireUser, WireWebhook } from "./wire.ts";

/** Returns a sentence about the token; throws TELEGRAM_BAD_TOKEN. */
export function accountOf(settings: Settings): string {
  const { origin } = new URL(settings.address());
  if (!isBotToken(settings.token)) throw errors.TELEGRAM_BAD_TOKEN();
  return `a bot token for ${origin}`;
}

/** Asks the platform whose token it is; throws if it refuses. */
export async function platformRows(
  settings: Settings,
  api: BotApi,
  signal: AbortSignal,
): Promise<readonly CheckRow[]> {
  const me = await api.call<WireUser>("getMe", {}, { signal });
  const webhook = await api.call<WireWebhook>("getWebhookInfo", {}, { signal });
  const detail = `the platform knows the bot @${me.username ?? me.id}`;
  const known: CheckRow = { what: "telegram", state: "ok", detail };
  return [known, ...webhookRows(webhook), ...privacyRows(me, settings)];
}

function webhookRows({ url = "" }: WireWebhook): readonly CheckRow[] {
  if (url === "") return [];
  const detail = `a webhook is set, at ${URL.parse(url)?.host ?? "an unknown host"}, so nothing comes in here`;
  return [
    {
      what: "telegram webhook",
      state: "fail",
      detail,
      cure: "end the program that set it and call deleteWebhook",
    },
  ];
}

function privacyRows({ can_read_all_group_messages }: WireUser, { groups }: Settings): readonly CheckRow[] {
  if (groups !== "all" || can_read_all_group_messages !== false) return [];
  const detail = "groups are `all`, and the platform hands the bot only what names it";
  return [
    {
      what: "telegram groups",
      state: "warn",
      detail,
      cure: "turn privacy off by /setprivacy of @BotFather, then add the bot to the group again",
    },
  ];
}
