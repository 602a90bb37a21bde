import type { Check, CheckRow } from "@gantry/sdk";
import { channelChecks, peopleRow, rowsOf, type ChannelHealth } from "@gantry/sdk/channel";
import { scopes } from "./manifest.ts";
import { allowlistKey, checkTokens, type Settings } from "./settings.ts";
import type { WebApi } from "./web-api.ts";
import type { WireAuth } from "./wire.ts";

export function slackChecks(settings: Settings, api: WebApi, health: ChannelHealth): readonly Check[] {
  const { people, pairing } = settings;
  return channelChecks("slack", {
    standing: async () => [...(await account(settings)), peopleRow("slack", allowlistKey, people, pairing)],
    platform: async (signal) => [...(await bot(api, signal)), ...(await app(api, signal))],
    health,
  });
}

function account(settings: Settings): Promise<readonly CheckRow[]> {
  return rowsOf("slack account", () => {
    const { origin } = new URL(settings.address());
    checkTokens(settings.tokens);
    return `a bot token and an app token for ${origin}`;
  });
}

function bot(api: WebApi, signal: AbortSignal): Promise<readonly CheckRow[]> {
  const what = "slack";
  return rowsOf(what, async () => {
    const { answer, scopes: held } = await api.ask<WireAuth>("auth.test", {}, { signal });
    const { user, user_id, team = "a workspace without a name" } = answer;
    const known: CheckRow = {
      what,
      state: "ok",
      detail: `the platform knows the bot @${user ?? user_id} in ${team}`,
    };
    return [known, ...scopeRows(held)];
  });
}

/** None where Slack tells of no scopes. */
function scopeRows(held: readonly string[]): readonly CheckRow[] {
  const missing = held.length === 0 ? [] : scopes.filter((scope) => !held.includes(scope));
  if (missing.length === 0) return [];
  return [
    {
      what: "slack scopes",
      state: missing.includes("chat:write") ? "fail" : "warn",
      detail: `the bot token lacks ${missing.join(", ")}`,
      cure: "add them under OAuth & Permissions of the app, install it again, and set its new token",
    },
  ];
}

function app(api: WebApi, signal: AbortSignal): Promise<readonly CheckRow[]> {
  return rowsOf("slack socket mode", async () => {
    await api.call("apps.connections.open", {}, { signal, token: "app_token" });
    return "the app token opens connections";
  });
}
