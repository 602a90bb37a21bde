import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  CHAT_PROVIDER_API: usage(
    "`provider_api` is only valid with custom:<url> and the configured provider is `%s`: remove it, or set default_provider to custom:<url>.",
  ),
  CHAT_HOSTED_URL: usage(
    "The provider hostedllm has no address: set endpoints.hosted_url to its http:// or https:// address.",
  ),
  CHAT_NO_MODEL: usage("%s offers %s models and none is configured: set default_model, for example to `%s`."),
  CHAT_NO_MODEL_LIST: failed(
    "%s has no model list (HTTP %s), which is optional for a server: set default_model to a name it knows and send a test message.",
  ),
  CHAT_NO_WEBSOCKET: failed(
    "%s answers no WebSocket (HTTP %s): unset SERVICE_RESPONSES_WEBSOCKET, so that HTTP is tried too, or set it to 0.",
  ),
  CHAT_TOOLS_AS_TEXT: failed(
    "%s wrote a tool call as plain text, so the server runs without a tool-call parser: start it with %s, which reads the calls of your model.",
  ),
  CHAT_TOOLS_OPTION: failed(
    "%s refused the tools (HTTP %s) because of how the server was started: start it with %s.",
  ),
});
