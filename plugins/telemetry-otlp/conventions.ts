/**
 * The names by which a telemetry backend knows what happened: the GenAI semantic conventions of
 * OpenTelemetry 0.1.0 (semantic-conventions-genai, all of them in development). What the
 * conventions do not name begins with `gantry.`.
 */
export const schemaUrl = "https://opentelemetry.io/schemas/gen-ai/0.1.0";

export const operation = { chat: "chat", tool: "execute_tool", agent: "invoke_agent" } as const;

export const key = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheRead: "gen_ai.usage.cache_read.input_tokens",
  cacheWrite: "gen_ai.usage.cache_write.input_tokens",
  reasoning: "gen_ai.usage.reasoning.output_tokens",
  tool: "gen_ai.tool.name",
  error: "error.type",
  server: "server.address",
  port: "server.port",
  channel: "gantry.channel",
  purpose: "gantry.purpose",
} as const;

export const metric = {
  inference: "gen_ai.client.inference.duration",
  firstChunk: "gen_ai.client.inference.time_to_first_chunk",
  inputTokens: "gen_ai.client.inference.usage.input_tokens",
  outputTokens: "gen_ai.client.inference.usage.output_tokens",
  cacheRead: "gen_ai.client.inference.usage.cache_read.input_tokens",
  cacheWrite: "gen_ai.client.inference.usage.cache_write.input_tokens",
  reasoning: "gen_ai.client.inference.usage.reasoning.output_tokens",
  agent: "gen_ai.invoke_agent.duration",
  tool: "gen_ai.execute_tool.duration",
  approval: "gantry.approval.duration",
  messages: "gantry.messages",
} as const;

/** Seconds; the boundaries that the conventions give for durations. */
export const bounds: readonly number[] = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
