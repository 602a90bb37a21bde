import { ProviderTable } from "@gantry/sdk/provider";
import { Value } from "typebox/value";
import { serveModel } from "../../test/helpers/model-server.ts";
import { createUpstream } from "../net-undici/upstream.ts";
import { endpointOf } from "./endpoint.ts";
import { createProvider } from "./provider.ts";
import { ResponsesMode } from "./responses-mode.ts";

export {
  callsOf,
  collect,
  failureOf,
  json,
  picture,
  request,
  stream,
  textOf,
  tools,
  user,
  withMedia,
  type Asked,
} from "../../test/helpers/model-server.ts";

/** A real server on loopback, below `/v1`. */
export async function serve(answer: Parameters<typeof serveModel>[0]) {
  const model = await serveModel(answer);
  return Object.assign(model, { url: `${model.origin}/v1` });
}

export const DONE = "data: [DONE]\n\n";
export const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
export const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } };

/** A provider as the plugin would make it, over the real client. */
export function provider(
  id: string,
  config: Record<string, unknown> = {},
  env: Record<string, string> = {},
  upstream: ReturnType<typeof createUpstream> = createUpstream({}),
) {
  const stop = new AbortController();
  const { providers = {}, configured, ...rest } = config;
  const settings = {
    default_provider: id,
    endpoints: { vendor_api_url: "https://vendor.invalid/v1" },
    ...rest,
    providers: Value.Default(ProviderTable, providers) as ProviderTable,
  };
  const endpoint = endpointOf(id, settings, env, configured as string | undefined);
  if (!endpoint) throw new Error(`nobody serves ${id}`);
  const made = createProvider(
    upstream,
    endpoint,
    new ResponsesMode(upstream, env.SERVICE_RESPONSES_WEBSOCKET, stop.signal),
  );
  return Object.assign({}, made, {
    endpoint,
    upstream,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await upstream.close();
    },
  });
}
