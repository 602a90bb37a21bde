import type { Check, CheckRow } from "@gantry/sdk";
import { peopleRow } from "@gantry/sdk/channel";
import type { Graph } from "./graph.ts";
import type { Settings } from "./settings.ts";
import { unsigned } from "./webhook.ts";

export function chatappChecks(settings: Settings, graph: Graph): readonly Check[] {
  const standing = async (): Promise<readonly CheckRow[]> => [
    signature(settings),
    peopleRow("chatapp", "channels_config.chatapp.allowed_numbers", settings.people),
    address(graph),
  ];
  return [
    { name: "chatapp-status", kind: "status", run: standing },
    { name: "chatapp-doctor", kind: "doctor", run: standing },
    { name: "chatapp", kind: "channel", run: async (signal) => [await platform(settings, graph, signal)] },
  ];
}

function signature({ appSecret }: Settings): CheckRow {
  const what = "chatapp signature";
  if (appSecret !== undefined) return { what, state: "ok", detail: "every delivery is checked" };
  const [detail = "", cure = ""] = unsigned.split(": ");
  return { what, state: "warn", detail, cure };
}

function address(graph: Graph): CheckRow {
  const what = "chatapp address";
  try {
    return { what, state: "ok", detail: new URL(graph.address()).origin };
  } catch (error) {
    return {
      what,
      state: "fail",
      detail: (error as Error).message,
      cure: "set endpoints.graph_url to an https:// address",
    };
  }
}

async function platform({ phoneNumberId }: Settings, graph: Graph, signal: AbortSignal): Promise<CheckRow> {
  const what = "chatapp";
  try {
    await graph.check(signal);
    return { what, state: "ok", detail: `the platform knows the phone number id ${phoneNumberId}` };
  } catch (error) {
    return {
      what,
      state: "fail",
      detail: (error as Error).message,
      cure: "check the access token, the phone number id and the network",
    };
  }
}
