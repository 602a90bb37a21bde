import type { Check, CheckRow } from "@gantry/sdk";
import { peopleRow, type ChannelHealth } from "@gantry/sdk/channel";
import { scopes } from "./manifest.ts";
import { allowlistKey, checkTokens, type Settings } from "./settings.ts";
import type { WebApi } from "./web-api.ts";
import type { WireAuth } from "./wire.ts";

export function slackChecks(settings: Settings, api: WebApi, health: ChannelHealth): readonly Check[] {
  const standing = async (): Promise<readonly CheckRow[]> => [
    account(settings),
    allowlist(settings),
    await health.row(),
  ];
  return [
    { name: "slack-status", kind: "status", run: standing },
    { name: "slack-doctor", kind: "doctor", run: standing },
    {
      name: "slack",
      kind: "channel",
      run: async (signal) => [...(await bot(api, signal)), await app(api, signal), await health.row()],
    },
  ];
}

function account(settings: Settings): CheckRow {
  const what = "slack account";
  try {
    const { origin } = new URL(settings.address());
    checkTokens(settings.tokens);
    return { what, state: "ok", detail: `a bot token and an app token for ${origin}` };
  } catch (error) {
    return { what, state: "fail", detail: (error as Error).message };
  }
}

function allowlist({ people, pairing }: Settings): CheckRow {
  const row = peopleRow("slack", allowlistKey, people);
  if (!pairing || row.detail !== "nobody may write") return row;
  return { what: row.what, state: "ok", detail: "only who sends a code of `gantry pair new` may write" };
}

async function bot(api: WebApi, signal: AbortSignal): Promise<readonly CheckRow[]> {
  const what = "slack";
  try {
    const { answer, scopes: held } = await api.ask<WireAuth>("auth.test", {}, { signal });
    const { user, user_id, team = "a workspace without a name" } = answer;
    const known: CheckRow = {
      what,
      state: "ok",
      detail: `the platform knows the bot @${user ?? user_id} in ${team}`,
    };
    return [known, ...scopeRows(held)];
  } catch (error) {
    return [{ what, state: "fail", detail: (error as Error).message }];
  }
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

async function app(api: WebApi, signal: AbortSignal): Promise<CheckRow> {
  const what = "slack socket mode";
  try {
    await api.call("apps.connections.open", {}, { signal, token: "app_token" });
    return { what, state: "ok", detail: "the app token opens connections" };
  } catch (error) {
    return { what, state: "fail", detail: (error as Error).message };
  }
}
