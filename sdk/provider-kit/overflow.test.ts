import { constantFrom, assert as check, property, string } from "fast-check";
import { expect, test } from "vitest";
import { answerFailure, failureInside, overflowOf } from "./index.ts";

const json = (error: object): string => JSON.stringify({ error });

const tooLong: [string, number, string, number | undefined][] = [
  [
    "OpenAI",
    400,
    json({
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 303685 tokens. Please reduce the length of the messages.",
      code: "context_length_exceeded",
    }),
    8192,
  ],
  [
    "OpenAI responses",
    400,
    json({
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    }),
    undefined,
  ],
  [
    "messages",
    400,
    json({ type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }),
    200_000,
  ],
  [
    "messages with max_tokens",
    400,
    json({
      message:
        "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input length",
    }),
    200_000,
  ],
  [
    "messages in bytes",
    413,
    json({ type: "request_too_large", message: "Request exceeds the maximum size" }),
    undefined,
  ],
  [
    "llama.cpp",
    400,
    json({
      code: 400,
      message: "the request exceeds the available context size, try increasing it",
      type: "exceed_context_size_error",
      n_prompt_tokens: 9000,
      n_ctx: 4096,
    }),
    4096,
  ],
  [
    "old llama.cpp",
    500,
    json({ message: "the request exceeds the available context size. try increasing the context size" }),
    undefined,
  ],
  [
    "vLLM",
    400,
    '{"object":"error","message":"This model\'s maximum context length is 4096 tokens. However, you requested 12000 tokens (11000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion."}',
    4096,
  ],
  [
    "newer vLLM",
    400,
    '{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that"}',
    4096,
  ],
  [
    "SGLang",
    400,
    '{"message":"The input (5000 tokens) is longer than the model\'s context length (4096 tokens)."}',
    4096,
  ],
  [
    "genlang",
    400,
    json({
      code: 400,
      message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      status: "INVALID_ARGUMENT",
    }),
    1_048_576,
  ],
  [
    "xAI",
    400,
    '{"error":"This model\'s maximum prompt length is 131072 but the request contains 537812 tokens."}',
    131_072,
  ],
  [
    "Mistral",
    400,
    '{"message":"Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length"}',
    32_768,
  ],
  [
    "a router",
    400,
    json({
      message:
        "This endpoint's maximum context length is 65,536 tokens. However, you requested about 70,000 tokens",
    }),
    65_536,
  ],
  [
    "Kimi",
    400,
    json({ message: "Invalid request: Your request exceeded model token limit: 262144" }),
    262_144,
  ],
  ["DashScope", 400, json({ message: "Range of input length should be [1, 129024]" }), 129_024],
  ["GLM", 400, json({ code: "1261", message: "Prompt exceeds max length" }), undefined],
  ["Bedrock", 400, '{"message":"Input is too long for requested model."}', undefined],
  [
    "a desktop server",
    400,
    json({
      message:
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    }),
    4096,
  ],
  [
    "TGI",
    422,
    json({
      message:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
    }),
    4096,
  ],
];

test.each(tooLong)(
  "CTX-03: what %s says of a conversation that is too long is PROVIDER_OVERFLOW, with the window where it is named",
  (_, status, body, window) => {
    const why = answerFailure({ provider: "p", model: "m", status, body });
    expect(why).toMatchObject({ code: "PROVIDER_OVERFLOW", status, retry: false });
    expect(why.contextWindow).toBe(window);
  },
);

test("CTX-03: a refusal for length inside an answer that began well is one too", () => {
  const error = {
    type: "invalid_request_error",
    message: "prompt is too long: 210000 tokens > 200000 maximum",
  };
  expect(failureInside({ provider: "p", model: "m" }, error)).toMatchObject({
    code: "PROVIDER_OVERFLOW",
    contextWindow: 200_000,
  });
});

test.each([
  [400, json({ message: "Invalid value for 'temperature'" }), "PROVIDER_REQUEST"],
  [
    400,
    json({ message: "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens" }),
    "PROVIDER_REQUEST",
  ],
  [400, json({ message: "The image is too large: at most 5 MB" }), "PROVIDER_REQUEST"],
  [401, json({ message: "prompt is too long" }), "PROVIDER_AUTH"],
  [429, json({ message: "Request too large: limit 30000 tokens per min" }), "PROVIDER_RATE_LIMIT"],
  [500, "internal error", "PROVIDER_SERVER"],
])("CTX-03: HTTP %s with %s is not one", (status, body, code) => {
  expect(answerFailure({ provider: "p", model: "m", status, body }).code).toBe(code);
});

test("CTX-03: whatever stands around the sentence, it is found; and no text breaks the reader", () => {
  const sentence = constantFrom(...tooLong.filter(([, status]) => status !== 413).map(([, , body]) => body));
  const short = string({ maxLength: 400 });
  check(
    property(short, sentence, short, (before, body, after) => {
      expect(overflowOf(`${before}\n${body}\n${after}`)).toBeDefined();
    }),
  );
  check(property(string({ unit: "binary", maxLength: 5_000 }), (text) => void overflowOf(text)));
});
