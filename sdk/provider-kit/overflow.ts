/**
 * The words with which servers say that a conversation does not fit into the window of the model.
 */
const words: readonly RegExp[] = [
  /context_length_exceeded|exceed_context_size|context_window_exceeded|model_max_prompt_tokens_exceeded/i,
  /(?:maximum|max|model's|model) (?:context|prompt|model|sequence) (?:length|window|size)/i,
  /(?:exceeds?|exceeded|larger than|longer than|greater than|over) (?:the )?(?:available |maximum |model'?s? )*(?:context|token limit)/i,
  /context (?:length|window|size|limit)[^.]{0,60}(?:exceed|overflow)|exceed context (?:length|window|size|limit)|context (?:the )?overflows/i,
  /(?:prompt|input|request|messages?) (?:is|are) too (?:long|large)(?! for (?:a )?(?:file|image))/i,
  /(?:prompt|input) (?:contains|token count|tokens|length)[^.]{0,80}(?:exceeds?|too large|too long|should be \[)/i,
  /(?:prompt|input) exceeds max(?:imum)? length|`?inputs`? tokens \+ `?max_new_tokens`? must be/i,
  /reduce (?:the|your) (?:length of (?:the )?(?:messages|prompt|input)|prompt)|too many (?:input )?tokens/i,
];

/** The sentences that name the window; the first that matches counts. */
const windows: readonly RegExp[] = [
  /"n_ctx"\s*:\s*(\d+)/,
  /tokens? > (\d+) maximum/i,
  /context limit: \d+ \+ \d+ > (\d+)/i,
  /available context size \((\d+)/i,
  /(?:context|prompt|model) length (?:of|is|:|\()?\s*(?:only )?(\d+)/i,
  /(\d+) (?:tokens? )?maximum context length/i,
  /maximum (?:number of )?tokens allowed \((\d+)\)/i,
  /(?:token limit|the limit)(?: of|:)? (\d+)/i,
  /should be \[\d+, ?(\d+)\]/i,
  /must be <= ?(\d+)/i,
];

/** A conversation that did not fit. */
export interface Overflow {
  /** Returns the window of the model in tokens, if the server names it. */
  readonly window?: number;
}

/**
 * Recognises a refusal (its text) as one for length, in the words of every server there is;
 * undefined for any other.
 */
export function overflowOf(text: string): Overflow | undefined {
  const plain = text.slice(0, 8_000).replace(/(?<=\d),(?=\d{3})/g, "");
  if (!words.some((word) => word.test(plain))) return undefined;
  const named = windows.map((word) => Number(word.exec(plain)?.[1])).find((found) => found >= 256);
  return named === undefined ? {} : { window: named };
}
