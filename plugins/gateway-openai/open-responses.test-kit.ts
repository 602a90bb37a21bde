import { Type, type TSchema } from "typebox";
import { Value } from "typebox/value";

/**
 * The shapes of Open Responses, version 2026-04-24, as far as this server sends them: each member
 * that the specification requires, with its type.
 */
const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const oneOf = (...values: readonly string[]) => Type.Union(values.map((one) => Type.Literal(one)));
const itemStatus = oneOf("in_progress", "completed", "incomplete");

const outputText = Type.Object({
  type: Type.Literal("output_text"),
  text,
  annotations: Type.Array(Type.Unknown()),
  logprobs: Type.Array(Type.Unknown()),
});
const inputText = Type.Object({ type: Type.Literal("input_text"), text });
const inputImage = Type.Object({
  type: Type.Literal("input_image"),
  image_url: orNull(text),
  detail: oneOf("low", "high", "auto"),
});
const inputFile = Type.Object({ type: Type.Literal("input_file") });
const message = Type.Object({
  type: Type.Literal("message"),
  id: text,
  status: itemStatus,
  role: oneOf("user", "assistant", "system", "developer"),
  content: Type.Array(Type.Union([outputText, inputText, inputImage, inputFile])),
});
const functionCall = Type.Object({
  type: Type.Literal("function_call"),
  id: text,
  call_id: text,
  name: text,
  arguments: text,
  status: itemStatus,
});
const functionOutput = Type.Object({
  type: Type.Literal("function_call_output"),
  id: text,
  call_id: text,
  output: Type.Union([text, Type.Array(Type.Union([inputText, inputImage, inputFile]))]),
  status: itemStatus,
});
const summaryText = Type.Object({ type: Type.Literal("summary_text"), text });
const reasoning = Type.Object({
  type: Type.Literal("reasoning"),
  id: text,
  summary: Type.Array(summaryText),
});
export const item = Type.Union([message, functionCall, functionOutput, reasoning]);

const tool = Type.Object({
  type: Type.Literal("function"),
  name: text,
  description: orNull(text),
  parameters: orNull(Type.Object({})),
  strict: orNull(Type.Boolean()),
});
const usage = Type.Object({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: Type.Object({ cached_tokens: count }),
  output_tokens_details: Type.Object({ reasoning_tokens: count }),
});

export const response = Type.Object({
  id: text,
  object: Type.Literal("response"),
  created_at: count,
  completed_at: orNull(count),
  status: oneOf("in_progress", "completed", "incomplete", "failed"),
  incomplete_details: orNull(Type.Object({ reason: text })),
  model: text,
  previous_response_id: orNull(text),
  instructions: orNull(text),
  output: Type.Array(item),
  error: orNull(Type.Object({ code: text, message: text })),
  tools: Type.Array(tool),
  tool_choice: Type.Union([oneOf("none", "auto", "required"), Type.Object({ type: text })]),
  truncation: oneOf("auto", "disabled"),
  parallel_tool_calls: Type.Boolean(),
  text: Type.Object({ format: Type.Object({ type: text }) }),
  top_p: Type.Number(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  top_logprobs: count,
  temperature: Type.Number(),
  reasoning: orNull(Type.Object({ effort: orNull(text), summary: orNull(text) })),
  usage: orNull(usage),
  max_output_tokens: orNull(count),
  max_tool_calls: orNull(count),
  store: Type.Boolean(),
  background: Type.Boolean(),
  service_tier: text,
  metadata: Type.Record(text, text),
  safety_identifier: orNull(text),
  prompt_cache_key: orNull(text),
});

const inItem = { item_id: text, output_index: count };
const inPart = { ...inItem, content_index: count };
const inSummary = { ...inItem, summary_index: count };
const ofItem = { output_index: count, item };
const logprobs = Type.Array(Type.Unknown());

/** The members of each event beside its type and number. */
const members: Readonly<Record<string, Readonly<Record<string, TSchema>>>> = {
  "response.created": { response },
  "response.in_progress": { response },
  "response.completed": { response },
  "response.incomplete": { response },
  "response.failed": { response },
  "response.output_item.added": ofItem,
  "response.output_item.done": ofItem,
  "response.content_part.added": { ...inPart, part: outputText },
  "response.content_part.done": { ...inPart, part: outputText },
  "response.output_text.delta": { ...inPart, delta: text, logprobs },
  "response.output_text.done": { ...inPart, text, logprobs },
  "response.function_call_arguments.delta": { ...inItem, delta: text },
  "response.function_call_arguments.done": { ...inItem, arguments: text },
  "response.reasoning_summary_part.added": { ...inSummary, part: summaryText },
  "response.reasoning_summary_part.done": { ...inSummary, part: summaryText },
  "response.reasoning_summary_text.delta": { ...inSummary, delta: text },
  "response.reasoning_summary_text.done": { ...inSummary, text },
  error: {
    error: Type.Object({ type: text, code: orNull(text), message: text, param: orNull(text) }),
  },
};

/** Returns what is wrong with a value, one line for each fault. */
export function faults(schema: TSchema, value: unknown): readonly string[] {
  if (Value.Check(schema, value)) return [];
  return Value.Errors(schema, value).map((error) => `${error.instancePath} ${error.message}`);
}

export interface StreamedEvent {
  readonly type: string;
  readonly [member: string]: any;
}

/** Reads a stream: its events, and whatever the specification forbids in it. */
export function readEvents(stream: string): {
  readonly events: readonly StreamedEvent[];
  readonly wrong: readonly string[];
} {
  const frames = stream.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"));
  const wrong: string[] = [];
  if (frames.at(-1) !== "data: [DONE]") wrong.push("the last frame is not [DONE]");
  const events = frames.slice(0, -1).map((frame, at): StreamedEvent => {
    const [, name = "", data = "{}"] = /^event: (\S+)\ndata: (.+)$/.exec(frame) ?? [];
    const event = JSON.parse(data) as StreamedEvent;
    if (event.type !== name) wrong.push(`frame ${at} is named ${name} and holds ${event.type}`);
    if (event["sequence_number"] !== at) wrong.push(`event ${at} has another number`);
    const known = members[event.type];
    if (!known) wrong.push(`${event.type} is not an event`);
    else wrong.push(...faults(Type.Object({ ...known }), event).map((fault) => `${event.type} ${fault}`));
    return event;
  });
  return { events, wrong };
}
