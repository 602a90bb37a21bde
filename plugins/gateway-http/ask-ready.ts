import { get as getPlain } from "node:http";
import { get as getSealed } from "node:https";
import type { CheckRow } from "@gantry/sdk";
import { readRunning } from "@gantry/sdk/node";
import { bindAddress, readTls } from "./bind.ts";
import type { GatewayConfig } from "./config.ts";

const patienceMs = 5_000;
const maxBytes = 64 * 1024;
/** Stands for a gateway that takes the connection and answers nothing. */
const silent = { status: undefined, parts: undefined };

/**
 * Returns what the running service says of itself at `/ready`; no row if none runs or its gateway
 * is elsewhere.
 */
export async function runningRows(config: GatewayConfig, configDir: string): Promise<readonly CheckRow[]> {
  if (!(await readRunning(configDir))) return [];
  const what = "service ready";
  const answer = await askReady(config, configDir).catch((error: Error) =>
    error.name === "AbortError" ? silent : undefined,
  );
  if (answer === silent)
    return [
      {
        what,
        state: "fail",
        detail: `the running service does not answer within ${patienceMs / 1_000} s`,
        cure: "Look at its log and restart it.",
      },
    ];
  if (answer?.status === "ready") return [{ what, state: "ok", detail: "all its parts work" }];
  if (answer?.status !== "not ready" || !Array.isArray(answer.parts)) return [];
  return [
    {
      what,
      state: "fail",
      detail: `the running service is not ready: ${answer.parts.join(", ")}`,
      cure: "Fix these parts; its log says what is wrong with each.",
    },
  ];
}

async function askReady(
  config: GatewayConfig,
  configDir: string,
): Promise<{ readonly status?: unknown; readonly parts?: unknown }> {
  const { host, port } = config;
  const files = await readTls(config, configDir).catch(() => undefined);
  const place = {
    host: bindAddress(host),
    port,
    path: "/ready",
    agent: false,
    signal: AbortSignal.timeout(patienceMs),
  } as const;
  // The very certificate that is configured proves the service, whatever name is in it.
  const sealed = { ca: files?.cert, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
  const text = await new Promise<string>((resolve, reject) => {
    const request = config.tls_enabled ? getSealed({ ...place, ...sealed }) : getPlain(place);
    request.on("error", reject).on("response", (response) => {
      let body = "";
      response.setEncoding("utf8").on("error", reject);
      response.on("data", (chunk: string) => {
        body += chunk;
        if (body.length > maxBytes) request.destroy(new Error("the answer is too long"));
      });
      response.on("end", () => resolve(body));
    });
  });
  return JSON.parse(text) as { readonly status?: unknown; readonly parts?: unknown };
}
