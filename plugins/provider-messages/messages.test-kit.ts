import { ProviderTable } from "@gantry/sdk/provider";
import { Value } from "typebox/value";
import { serveModel } from "../../test/helpers/model-server.ts";
import { createUpstream } from "../net-undici/upstream.ts";
import { createProvider } from "./provider.ts";
import { serverOf } from "./server.ts";

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
} from "../../test/helpers/model-server.ts";

/** A real server on loopback. */
export async function serve(answer: Parameters<typeof serveModel>[0]) {
  const model = await serveModel(answer);
  return Object.assign(model, { url: model.origin });
}

export const begin = {
  type: "message_start",
  message: { role: "assistant", content: [], usage: { input_tokens: 11, output_tokens: 1 } },
};
export const say = (text: string, index = 0): object[] => [
  { type: "content_block_start", index, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index, delta: { type: "text_delta", text } },
  { type: "content_block_stop", index },
];
export const end = (stop_reason: string, output_tokens = 5): object[] => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens } },
  { type: "message_stop" },
];

/** A provider as the plugin would make it, over the real client. */
export function provider(
  url: string,
  config: Record<string, unknown> = {},
  env: Record<string, string> = {},
) {
  const upstream = createUpstream({});
  const default_provider = `messages-custom:${url}`;
  const server = serverOf(
    default_provider,
    {
      default_provider,
      ...config,
      providers: Value.Default(ProviderTable, config.providers ?? {}) as ProviderTable,
    },
    env,
  )!;
  return Object.assign({}, createProvider(upstream, server), {
    [Symbol.asyncDispose]: () => upstream.close(),
  });
}
