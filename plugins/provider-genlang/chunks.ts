import { errors as common } from "@gantry/sdk";
import { NAME } from "./config.ts";

/** The JSON values of an answer, as they arrive: server-sent events, one object, or a list of them. Throws `PROVIDER_MALFORMED`. */
export async function* chunksOf(response: Response, streamed: boolean): AsyncGenerator<unknown, void> {
  if (!streamed) {
    const value = parse(await response.text());
    yield* Array.isArray(value) ? value : [value];
    return;
  }
  const { createParser } = await import("eventsource-parser");
  const arrived: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void arrived.push(data) });
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    parser.feed(decoder.decode(piece, { stream: true }));
    yield* arrived.splice(0).filter(isData).map(parse);
  }
  // The last event may lack its empty line.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* arrived.splice(0).filter(isData).map(parse);
}

function isData(data: string): boolean {
  return data !== "" && data !== "[DONE]";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw common.PROVIDER_MALFORMED(NAME, "it is not JSON");
  }
}
