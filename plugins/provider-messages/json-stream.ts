import { createParser } from "eventsource-parser";
import { errors } from "@gantry/sdk";

/**
 * The JSON values of an answer, in order, whether the server streams events or sends one document. Throws
 * `PROVIDER_MALFORMED` where it is neither; the size is bounded by whoever made the request.
 */
export async function* jsonValues(
  body: AsyncIterable<Uint8Array>,
  provider: string,
): AsyncGenerator<unknown, void> {
  const decoder = new TextDecoder();
  const ready: string[] = [];
  const parser = createParser({
    onEvent: ({ data }) => void ready.push(data),
    // Sent by servers that still work: a value that says nothing.
    onComment: () => void ready.push("{}"),
  });
  const document: string[] = [];
  let kind: "unknown" | "document" | "events" = "unknown";
  let seen = false;
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    // A line of an event stream never begins with a brace.
    if (kind === "unknown" && text.trim() !== "")
      kind = text.trimStart().startsWith("{") ? "document" : "events";
    if (kind === "document") document.push(text);
    else parser.feed(text);
    seen ||= ready.length > 0;
    for (const data of ready.splice(0)) yield parse(data, provider);
  }
  // Some servers leave out the blank line after the last event.
  if (kind === "events") parser.feed("\n\n");
  seen ||= ready.length > 0;
  for (const data of ready) yield parse(data, provider);
  if (kind === "document") yield parse(document.join(""), provider);
  if (kind === "events" && !seen)
    throw errors.PROVIDER_MALFORMED(provider, "it is neither JSON nor an event stream");
}

function parse(text: string, provider: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw errors.PROVIDER_MALFORMED(provider, "a piece of it is not JSON");
  }
}
