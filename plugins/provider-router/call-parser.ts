/**
 * The tags of one request; `word` is random, so nothing that was written before the request can
 * hold them.
 */
export interface Tags {
  readonly word: string;
  readonly open: string;
  readonly close: string;
}

export function tagsOf(word: string): Tags {
  return { word, open: `<tool_call:${word}>`, close: `</tool_call:${word}>` };
}

export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly args: string }
  /** A call that must not run: `name` is what could be read of it. */
  | {
      readonly type: "broken";
      readonly name: string | undefined;
      readonly why: string;
      readonly raw: string;
    };

const LONGEST_CALL = 1024 * 1024;
const EXCERPT = 500;
const UNCLOSED = "its closing tag is missing";
const CUT = "the answer reached its length limit before the closing tag, so write less at once";

/**
 * Splits streamed text into what is shown and the calls between the tags; linear in the text,
 * whatever the pieces. `cut`: the model ran out of length.
 */
export function createCallParser(tags: Tags): { push(text: string): Piece[]; end(cut: boolean): Piece[] } {
  let pending = "";
  let call: { parts: string[]; length: number } | undefined;

  function* keep(text: string): Generator<Piece> {
    if (text === "") return;
    if (!call) yield { type: "text", text };
    else if ((call.length += text.length) <= LONGEST_CALL) call.parts.push(text);
  }
  function* finish(fault: string | undefined): Generator<Piece> {
    if (!call) return;
    const { parts, length } = call;
    call = undefined;
    yield read(parts.join(""), fault, length);
  }
  function* consume(text: string, last: boolean): Generator<Piece> {
    let rest = pending + text;
    for (let at = rest.indexOf("<"); ; at = rest.indexOf("<", at + 1)) {
      if (at < 0) {
        pending = "";
        return yield* keep(rest);
      }
      const tag = [tags.open, tags.close].find((one) => rest.startsWith(one, at));
      if (tag) {
        yield* keep(rest.slice(0, at));
        yield* finish(tag === tags.close ? undefined : UNCLOSED);
        if (tag === tags.open) call = { parts: [], length: 0 };
        rest = rest.slice(at + tag.length);
        at = -1;
      } else if (
        !last &&
        rest.length - at < tags.close.length &&
        [tags.open, tags.close].some((one) => one.startsWith(rest.slice(at)))
      ) {
        pending = rest.slice(at);
        return yield* keep(rest.slice(0, at));
      }
    }
  }
  return {
    push: (text) => [...consume(text, false)],
    end: (cut) => [...consume("", true), ...finish(cut ? CUT : UNCLOSED)],
  };
}

/** Exactly one JSON object with `name` and `args`, nothing else. */
function read(text: string, fault: string | undefined, length: number): Piece {
  const raw = text.trim();
  const broken = (why: string, name?: string): Piece => ({
    type: "broken",
    name,
    why,
    raw: raw.slice(0, EXCERPT),
  });
  const guess = /^\{\s*"name"\s*:\s*"([\w.-]{1,64})"/.exec(raw)?.[1];
  if (length > LONGEST_CALL) return broken(`it is longer than ${LONGEST_CALL} characters`, guess);
  if (fault) return broken(fault, guess);
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return broken("what stands between the tags is not one JSON object", guess);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return broken("it is not a JSON object", guess);
  const { name, args, ...more } = value as Record<string, unknown>;
  if (typeof name !== "string" || name === "" || name.length > 128)
    return broken("`name` is missing or not a tool's name", guess);
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return broken("`args` is missing or not an object", guess);
  if (Object.keys(more).length > 0) return broken("it holds more than `name` and `args`", guess);
  return { type: "call", name, args: JSON.stringify(args) };
}
