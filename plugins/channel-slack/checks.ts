import type { CheckRow } from "@gantry/sdk";
import { rowsOf } from "@gantry/sdk/channel";
import { scopes } from "./manifest.ts";
import { checkTokens, type Settings } from "./settings.ts";
import type { WebApi } from "./web-api.ts";
import type { WireAuth } from "./wire.ts";

/** Returns a sentence about the tokens; throws what is wrong with their form. */
export function accountOf(settings: Settings): string {
  const { origin } = new URL(settings.address());
  checkTokens(settings.tokens);
  return `a bot token and an app token for ${origin}`;
}

/** Asks Slack what each token may. Never throws. */
export async function platformRows(api: WebApi, signal: AbortSignal): Promise<readonly CheckRow[]> {
  return [
    ...(await rowsOf("slack", () => botRows(api, signal))),
    ...(await rowsOf("slack socket mode", async () => {
      await api.call("apps.connections.open", {}, { signal, token: "app_token" });
      return "the app token opens connections";
    })),
  ];
}

async function botRows(api: WebApi, signal: AbortSignal): Promise<readonly CheckRow[]> {
  const { answer, scopes: held } = await api.ask<WireAuth>("auth.test", {}, { signal });
  const { user, user_id, team = "a workspace without a name" } = answer;
  const detail = `the platform knows the bot @${user ?? user_id} in ${team}`;
  return [{ what: "slack", state: "ok", detail }, ...scopeRows(held)];
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
