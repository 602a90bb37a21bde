/** What a mail says, and what it only carries along. */
export interface Said {
  /** The writer's own words; where lines are answered one by one, `[quoted 1]` stands for them. */
  readonly text: string;
  /** What is answered or passed on, in order: material. */
  readonly quoted: readonly string[];
  /** Whether the last of `quoted` is all that stands below the writer's words, as programs put it there. */
  readonly hasTail: boolean;
}

/** Below such a line stands a mail that is answered or passed on. */
const rulers: readonly RegExp[] = [
  /^-{3,}\s*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|message transféré|mensaje original|mensaje reenviado|messaggio originale|oorspronkelijk bericht|mensagem original)\b.*-{3,}$/i,
  /^(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message réexpédié|inicio del mensaje reenviado):$/i,
  /^_{20,}$/,
];
/** The end of `On Monday, Ada wrote:` in the languages of the usual programs. */
const attribution =
  /(?:\bwrote|\bschrieb|\ba écrit|\bescribió|\bha scritto|\bschreef|\bescreveu|\bskrev|\bnapisał(?:\(a\))?|\bkirjoitti|написал\(?а?\)?|写道|のメール)(?:\s.{0,80})?\s*[:：]\s*$/iu;
const attributionStart = /^(?:on|am|le|el|il|op|em|den|w dniu|в)\s.{3,}/iu;
/** The block that some programs put above what is answered. */
const headBlock = /^(?:\*?)(?:from|von|de|da|van|från|fra|od|от|发件人|差出人)\s?:\*?\s.+/i;
const headNext =
  /^(?:\*?)(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|para|asunto|inviato|a|oggetto|verzonden|aan|onderwerp)\s?:/i;
const mobile =
  /^(?:sent from (?:my|outlook|mail)\b|get outlook for\b|von meinem .{1,40} gesendet|envoyé de mon\b|enviado desde mi\b|inviato da\b|verstuurd vanaf\b).{0,80}$/i;
/** Of a signature in lines; a longer end is none. */
const maxSignature = 12;
const maxAttribution = 3;
/** Of a line that a program puts in; a longer one is not looked at. */
const maxProgramLine = 400;

/** Takes apart what a person writes and what their program adds: quotes, forwarded mail, the signature. */
export function readSaid(body: string): Said {
  const lines = body
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => line.trimEnd());
  const end = tailStart(lines.map((line) => (line.length > maxProgramLine ? line.slice(0, 1) + "…" : line)));
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
  if (tail === "") return { text, quoted, hasTail: false };
  return { text, quoted: [...quoted, tail.split("\n").map(unquoted).join("\n")], hasTail: true };
}

function isQuote(line: string): boolean {
  return line.startsWith(">");
}

function unquoted(line: string): string {
  return line.replace(/^(?:>\s?)+/, "");
}

/** The line from which on nothing is the writer's own; the number of lines where all is. */
function tailStart(lines: readonly string[]): number {
  const ruled = lines.findIndex(
    (line, at) =>
      rulers.some((ruler) => ruler.test(line.trim())) ||
      (headBlock.test(line) && lines.slice(at + 1, at + 4).filter((next) => headNext.test(next)).length >= 2),
  );
  const end = ruled < 0 ? lines.length : ruled;
  return Math.min(end, quoteTail(lines, end));
}

/** Where the quotes begin that stand at the end, with the words above them that say whose they are. */
function quoteTail(lines: readonly string[], end: number): number {
  let at = lastWords(lines, end);
  const signed = signatureStart(lines.slice(0, at));
  if (at > 0 && !isQuote(lines[at - 1] ?? "") && signed < at) at = lastWords(lines, signed);
  let start = at;
  while (start > 0 && (isQuote(lines[start - 1] ?? "") || lines[start - 1] === "")) start -= 1;
  if (!lines.slice(start, at).some(isQuote)) return attributedEnd(lines, end);
  const above = lines.slice(Math.max(0, start - maxAttribution), start);
  const counts = above
    .map((_, i) => i + 1)
    .filter((count) => attribution.test(above.slice(-count).join(" ")));
  // It may be broken over lines: then the first of them tells when.
  const whole = counts.find((count) => attributionStart.test(above.at(-count) ?? ""));
  return start - (whole ?? counts[0] ?? 0);
}

/** Some programs quote without signs: only the line above tells. */
function attributedEnd(lines: readonly string[], end: number): number {
  const at = lines.slice(0, end).findIndex((line) => attributionStart.test(line) && attribution.test(line));
  return at < 0 ? end : at;
}

/** Behind the last line that is not empty. */
function lastWords(lines: readonly string[], end: number): number {
  let at = end;
  while (at > 0 && lines[at - 1] === "") at -= 1;
  return at;
}

/** Where the signature begins, by the usual mark of two dashes; the number of lines where there is none. */
function signatureStart(lines: readonly string[]): number {
  const at = lines.findLastIndex((line) => line === "--" || line === "-- ");
  return at >= 0 && lines.length - at <= maxSignature ? at : lines.length;
}

function withoutSignature(lines: readonly string[]): readonly string[] {
  const kept = lines.slice(0, signatureStart(lines.slice(0, lastWords(lines, lines.length))));
  const end = lastWords(kept, kept.length);
  return mobile.test(kept[end - 1] ?? "") ? kept.slice(0, end - 1) : kept.slice(0, end);
}
