/** A line that separates, with or without words in it: `---- 转发的邮件 ----`, `_______`. */
const ruler = /^\s*(?:(?:[-‐‑‒–—―─━－]\s?){3,}|(?:[_=*~#＝＿]\s?){5,})/u;
/** A few words and a colon, such as `From:`, `送信日時：`, `*Till:*`; not `https://`. */
const label = /^\s*[*_|]{0,2}\s*\p{L}[\p{L}\p{M}\p{Pd} .'’"()/]{0,30}[*_]{0,2}\s?[:：︰](?!\/\/)/u;
const address = /[^\s<>@]@[^\s<>@]/;
const year = /\p{Nd}{4}|\p{Nd}{1,2}[./-]\p{Nd}{1,2}[./-]\p{Nd}{2}/u;
const time = /\p{Nd}{1,2}\s?[:.：h時时点點시]\s?\p{Nd}{2}/u;
/** Labels by which a head is known that holds neither an address nor a date. */
const fromLabel = /^\*?(?:from|von|de|da|van|från|fra|od|от|发件人|差出人)\s?:\*?\s.+/i;
const otherLabel =
  /^\*?(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|para|asunto|inviato|a|oggetto|verzonden|aan|onderwerp)\s?:/i;
const begin =
  /^(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message réexpédié|inicio del mensaje reenviado):$/i;
/** The end of `On Monday, Ada wrote:` in the languages of the usual programs. */
const wrote =
  /(?:\bwrote|\bschrieb|\ba écrit|\bescribió|\bha scritto|\bschreef|\bescreveu|\bskrev|\bnapisał(?:\(a\))?|\bkirjoitti|написал\(?а?\)?|写道|のメール)(?:\s.{0,80})?\s*[:：]\s*$/iu;
const wroteStart = /^(?:on|am|le|el|il|op|em|den|w dniu|в)\s.{3,}/iu;
/** In lines, as in the two below. */
const maxAttribution = 3;
const headLines = 5;
const maxAttributionLength = 300;
/** Most characters of a line such as `Begin forwarded message:`, which stands above a head. */
const maxTitle = 60;

/** Returns true for a line that a program marks as somebody else's, as by `> `. */
export function isQuote(line: string): boolean {
  return /^[\s\p{Cf}]*(?:[>»›＞]|\p{Lu}{1,3}>)/u.test(line);
}

/**
 * Returns the index of the first line of a mail that is answered or passed on, by the form of the
 * lines that programs write above it in every language; the number of lines if there is none. In
 * doubt a line is one. Marked quotes are not looked at; with `marked`, nor are the words above
 * them.
 */
export function carriedStart(given: readonly string[], { marked }: { readonly marked: boolean }): number {
  const lines = given.map(withoutFormat);
  const at = lines.findIndex(
    (line, i) =>
      line !== "" &&
      !isQuote(line) &&
      (ruler.test(line) || begin.test(line.trim()) || isHead(lines, i) || saysWhose(lines, i, marked)),
  );
  return at < 0 ? lines.length : titleAbove(lines, at);
}

/** Programs put marks of direction around names and addresses. */
function withoutFormat(line: string): string {
  return line.replace(/\p{Cf}/gu, "").trimEnd();
}

/** Returns how many of the lines before `end` say whose words stand below them. */
export function attributionAbove(lines: readonly string[], end: number): number {
  const above = lines.slice(Math.max(0, end - maxAttribution), end).map(withoutFormat);
  const counts = above.map((_, i) => i + 1).filter((count) => isAttribution(above.slice(-count).join(" ")));
  // It may be broken over lines: then the first of them tells when.
  const whole = counts.find((count) => wroteStart.test(above.at(-count) ?? ""));
  return whole ?? counts[0] ?? 0;
}

/** Returns true at the lines `From`, `Sent`, `To`, `Subject`, whatever they are called. */
function isHead(lines: readonly string[], at: number): boolean {
  if (!label.test(lines[at] ?? "")) return false;
  const next = lines
    .slice(at, at + 2 * headLines)
    .filter((line) => line !== "")
    .slice(0, headLines);
  const labelled = next.filter((line) => label.test(line));
  const dated = labelled.filter((line) => year.test(line) && time.test(line));
  const addressed = labelled.filter((line) => address.test(line));
  if (labelled.length >= 3 && dated.length + addressed.length > 0) return true;
  if (addressed.some((line) => dated.some((other) => other !== line))) return true;
  return (
    fromLabel.test(lines[at] ?? "") && next.slice(1, 4).filter((line) => otherLabel.test(line)).length >= 2
  );
}

/**
 * Returns true if words say who wrote the lines below; with `marked`, only if those have no mark.
 */
function saysWhose(lines: readonly string[], at: number, marked: boolean): boolean {
  const first = lines[at] ?? "";
  if (!year.test(first) && !address.test(first) && !wroteStart.test(first)) return false;
  for (let count = 1; count <= maxAttribution && (lines[at + count - 1] ?? "") !== ""; count += 1) {
    if (!isAttribution(lines.slice(at, at + count).join(" "))) continue;
    const below = lines.slice(at + count).find((line) => line !== "");
    return !marked || below === undefined || !isQuote(below);
  }
  return false;
}

function isAttribution(text: string): boolean {
  if (text.length > maxAttributionLength || !/[:：]\s*$/.test(text)) return false;
  if (wrote.test(text)) return true;
  if (!year.test(text) && !time.test(text)) return false;
  return address.test(text) || (text.match(/\p{Nd}+/gu) ?? []).length >= 4;
}

/**
 * Returns the index of a title that stands alone above the head, which belongs to it, unless the
 * title would be the first words of the mail.
 */
function titleAbove(lines: readonly string[], at: number): number {
  let title = at - 1;
  while (title > 0 && lines[title] === "") title -= 1;
  const line = lines[title] ?? "";
  const isAlone = title < at - 1 && title > 0 && lines[title - 1] === "";
  return isAlone && line.length <= maxTitle && /[:：]$/.test(line) ? title : at;
}
