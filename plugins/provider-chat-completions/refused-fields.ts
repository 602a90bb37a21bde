/** A field that a request can do without; `max_tokens` has `max_completion_tokens` in its place, then nothing. */
export type OptionalField = "stream_options" | "temperature" | "max_tokens" | "max_completion_tokens";
export type Refused = ReadonlySet<OptionalField>;

const NOT_TAKEN =
  /not (?:supported|support|permitted|allowed)|does not support|unsupported|only the default|deprecated|unknown|unrecogni[sz]ed|unexpected|extra/i;
const LIMIT = /max(?:imum)?[ _](?:completion_|new_|output_)?tokens|maximum context length/i;

/**
 * The field that a server's refusal (its text) speaks of, where the request can be sent again without it; undefined where
 * the refusal is about something else. A server that refuses a field it does not name is first spared `stream_options`.
 */
export function refusedField(
  text: string,
  sent: Readonly<Record<string, unknown>>,
): OptionalField | undefined {
  if ("max_tokens" in sent && text.includes("max_completion_tokens") && NOT_TAKEN.test(text))
    return "max_tokens";
  if (("max_tokens" in sent || "max_completion_tokens" in sent) && LIMIT.test(text))
    return "max_completion_tokens";
  if (!NOT_TAKEN.test(text)) return undefined;
  if ("temperature" in sent && text.includes("temperature")) return "temperature";
  const other = /tools|tool_choice|messages|model/.test(text) && !text.includes("stream_options");
  return "stream_options" in sent && !other ? "stream_options" : undefined;
}
