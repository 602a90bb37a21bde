import { createParser } from "eventsource-parser";
import { errors } from "../contract/codes.ts";

/**
 * Among the values: the server's mark that its event stream is complete. A whole document is
 * complete by itself.
 */
export const DONE = Symbol("done");

/**
 * Yields the JSON values of an answer, in order, whether the server streams events or sends one
 * document, then `DONE` if the server said so. Throws `PROVIDER_MALFORMED` if it is neither; the
 * size is bounded by whoever made the request.
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
  const read = (data: string): unknown => (data.trim() === "[DONE]" ? DONE : parseJson(data, provider));
  let kind: "unknown" | "document" | "events" = "unknown";
  let seen = false;
  const document: string[] = [];
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    if (kind === "unknown") kind = kindOf(text);
    if (kind === "document") document.push(text);
    else parser.feed(text);
    seen ||= ready.length > 0;
    for (const data of ready.splice(0)) yield read(data);
  }
  // Some servers leave out the blank line after the last event.
  if (kind === "events") parser.feed("\n\n");
  seen ||= ready.length > 0;
  for (const data of ready) yield read(data);
  if (kind === "document") {
    yield parseJson(document.join(""), provider);
    yield DONE;
  } else if (!seen && kind === "events")
    throw errors.PROVIDER_MALFORMED(provider, "it is neither JSON nor an event stream");
}

/** A line of an event stream never begins with a brace or a bracket. */
function kindOf(text: string): "unknown" | "document" | "events" {
  const first = text.trimStart().charAt(0);
  if (first === "") return "unknown";
  return first === "{" || first === "[" ? "document" : "events";
}

/** Throws `PROVIDER_MALFORMED`. */
export function parseJson(text: string, provider: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw errors.PROVIDER_MALFORMED(provider, "a piece of it is not JSON");
  }
}
