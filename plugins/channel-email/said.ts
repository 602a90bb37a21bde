import { attributionAbove, carriedStart, isQuote } from "./carried.ts";

/** The words of a mail, and those that it only carries along. */
export interface Said {
  /** The writer's own words; when lines are answered one by one, `[quoted 1]` stands for them. */
  readonly text: string;
  /** Texts that are answered or passed on, in order: material. */
  readonly quoted: readonly string[];
  /**
   * The mark by which the last of `quoted` is known, if it is all that stands below the writer's
   * words, as programs put it there: marks before its lines, or the words above it.
   */
  readonly tail: "marked" | "unmarked" | undefined;
}

const mobile =
  /^(?:sent from (?:my|outlook|mail)\b|get outlook for\b|von meinem .{1,40} gesendet|envoyé de mon\b|enviado desde mi\b|inviato da\b|verstuurd vanaf\b).{0,80}$/i;
/** Most lines of a signature; a longer end is not one. */
const maxSignature = 12;
/** Most characters of a line that a program puts in; a longer one is not looked at. */
const maxProgramLine = 400;
/** Most lines of a tail that are looked at for marks. */
const maxFirstLines = 5;

/**
 * An `answer` is to a mail of the agent's, maybe line by line; a `carrier` holds somebody else's.
 */
export type MailKind = "own" | "answer" | "carrier";

/**
 * Takes apart what a person writes and what their program adds: quotes, forwarded mail, the
 * signature. In a carrier nothing is the writer's own below the first line of the other mail.
 */
export function readSaid(body: string, kind: MailKind = "own"): Said {
  const lines = body
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => line.trimEnd());
  const short = lines.map((line) => (line.length > maxProgramLine ? line.slice(0, 1) + "…" : line));
  const end = tailStart(short, kind);
  const tail = lines.slice(end).join("\n").trim();
  const quoted: string[] = [];
  const own: string[] = [];
  for (const [at, line] of lines.slice(0, end).entries()) {
    if (!isQuote(line)) own.push(line);
    else if (at > 0 && isQuote(lines[at - 1] ?? "")) quoted[quoted.length - 1] += `\n${unquoted(line)}`;
    else own.push(`[quoted ${quoted.push(unquoted(line))}]`);
  }
  const text = withoutSignature(own)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  if (tail === "") return { text, quoted, tail: undefined };
  const last = tail.split("\n").map(unquoted).join("\n");
  return { text, quoted: [...quoted, last], tail: kindOf(tail) };
}

function kindOf(tail: string): Said["tail"] {
  const first = tail.split("\n").filter((line) => line !== "");
  return first.slice(0, maxFirstLines).some(isQuote) ? "marked" : "unmarked";
}

function unquoted(line: string): string {
  return line.replace(/^(?:>\s?)+/, "");
}

/**
 * Returns the index of the line from which on nothing is the writer's own; the number of lines if
 * all is.
 */
function tailStart(lines: readonly string[], kind: MailKind): number {
  const carried = carriedStart(lines, { marked: kind === "answer" });
  if (kind === "carrier") return Math.min(carried, firstQuote(lines));
  return carried < lines.length ? carried : quoteTail(lines);
}

/**
 * Returns the index of the first line with a mark, or of the words above it that say whose it is.
 */
function firstQuote(lines: readonly string[]): number {
  const quote = lines.findIndex(isQuote);
  const end = quote < 0 ? lines.length : lastWords(lines, quote);
  return quote < 0 ? end : end - attributionAbove(lines, end);
}

/**
 * Returns the index of the first of the quotes that stand at the end, with the words above them
 * that say whose they are.
 */
function quoteTail(lines: readonly string[]): number {
  let at = lastWords(lines, lines.length);
  const signed = signatureStart(lines.slice(0, at));
  if (at > 0 && !isQuote(lines[at - 1] ?? "") && signed < at) at = lastWords(lines, signed);
  let start = at;
  while (start > 0 && (isQuote(lines[start - 1] ?? "") || lines[start - 1] === "")) start -= 1;
  return lines.slice(start, at).some(isQuote) ? start - attributionAbove(lines, start) : lines.length;
}

/** Returns the index behind the last line that is not empty. */
function lastWords(lines: readonly string[], end: number): number {
  let at = end;
  while (at > 0 && lines[at - 1] === "") at -= 1;
  return at;
}

/**
 * Returns the index of the signature, by the usual mark of two dashes; the number of lines if there
 * is none.
 */
function signatureStart(lines: readonly string[]): number {
  const at = lines.findLastIndex((line) => line === "--" || line === "-- ");
  return at >= 0 && lines.length - at <= maxSignature ? at : lines.length;
}

function withoutSignature(lines: readonly string[]): readonly string[] {
  const kept = lines.slice(0, signatureStart(lines.slice(0, lastWords(lines, lines.length))));
  const end = lastWords(kept, kept.length);
  return mobile.test(kept[end - 1] ?? "") ? kept.slice(0, end - 1) : kept.slice(0, end);
}
