import type { Meters, Observer } from "@gantry/sdk";

/**
 * Counts turns, requests to models, tools and messages; names channels, models and tools, and
 * nobody.
 */
export function observer(meters: Meters): Observer {
  const time = (name: string, ms: number, labels: Readonly<Record<string, string>>): void =>
    meters.observe?.(`${name}_seconds`, ms / 1_000, labels);
  return {
    name: "metrics-prometheus",
    turnEnded({ user, stop, ms }) {
      const channel = channelOf(user);
      meters.count("turns_total", { channel, stop });
      time("turn", ms, { channel });
    },
    modelAnswered({ provider, outcome, inputTokens, outputTokens, cachedTokens, ms, firstMs }) {
      meters.count("model_requests_total", { provider, outcome });
      time("model_request", ms, { provider });
      if (firstMs !== undefined) time("model_first_piece", firstMs, { provider });
      meters.count("model_tokens_total", { provider, kind: "input" }, inputTokens);
      meters.count("model_tokens_total", { provider, kind: "cached" }, cachedTokens);
      meters.count("model_tokens_total", { provider, kind: "output" }, outputTokens);
    },
    toolFinished({ call, failed, ms }) {
      meters.count("tool_calls_total", { tool: call.tool, outcome: failed ? "failed" : "ok" });
      time("tool_call", ms, { tool: call.tool });
    },
    toolRefused({ decision, code }) {
      meters.count("tool_calls_stopped_total", { decision, code });
    },
    approvalDecided({ user, decision, ms }) {
      meters.count("approvals_total", { decision });
      time("approval", ms, { channel: channelOf(user) });
    },
    laneMoved({ lane, state }) {
      meters.count("messages_total", { channel: channelOf(lane), state });
    },
  };
}

function channelOf(name: string): string {
  return name.split(":", 1)[0] ?? "";
}
