import type { Check, CheckRow } from "@gantry/sdk";
import { channelChecks, peopleRow, rowsOf } from "@gantry/sdk/channel";
import type { Graph } from "./graph.ts";
import type { Settings } from "./settings.ts";
import { unsigned } from "./webhook.ts";

export function chatappChecks(settings: Settings, graph: Graph): readonly Check[] {
  return channelChecks("chatapp", {
    standing: async () => [
      signature(settings),
      peopleRow("chatapp", "channels_config.chatapp.allowed_numbers", settings.people),
      ...(await address(graph)),
    ],
    platform: (signal) => platform(settings, graph, signal),
  });
}

function signature({ appSecret }: Settings): CheckRow {
  const what = "chatapp signature";
  if (appSecret !== undefined) return { what, state: "ok", detail: "every delivery is checked" };
  const [detail = "", cure = ""] = unsigned.split(": ");
  return { what, state: "warn", detail, cure };
}

function address(graph: Graph): Promise<readonly CheckRow[]> {
  const cure = "set endpoints.graph_url to an https:// address";
  return rowsOf("chatapp address", () => new URL(graph.address()).origin, cure);
}

function platform(
  { phoneNumberId }: Settings,
  graph: Graph,
  signal: AbortSignal,
): Promise<readonly CheckRow[]> {
  const ask = async (): Promise<string> => {
    await graph.check(signal);
    return `the platform knows the phone number id ${phoneNumberId}`;
  };
  return rowsOf("chatapp", ask, "check the access token, the phone number id and the network");
}
