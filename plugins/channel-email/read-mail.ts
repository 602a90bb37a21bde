import { textParts, type Part } from "@gantry/sdk";
import type { Attachment } from "@gantry/sdk/channel";
import type { ImapFlow } from "imapflow";
import { decodeText } from "./decode-text.ts";
import { loadBeginning, loadPart } from "./load-part.ts";
import { sortParts, type MailPart, type MailParts } from "./mail-parts.ts";
import type { MailReader } from "./mail-reader.ts";
import { readSaid, type MailKind } from "./said.ts";

/** Most characters of a mail's words; the rest is cut, and the mail says so. */
const maxWords = 1024 * 1024;
/** Markup beside them. */
const maxHtml = 2 * maxWords;
/** Most characters of one piece that is answered or passed on, and of all of them. */
const maxQuoted = 16 * 1024;
const maxAllQuoted = 4 * maxQuoted;
const maxQuotes = 100;
const maxTexts = 20;
/** Most characters of the words above a mail that is answered, which say whose it is. */
const maxHead = 1_000;

/** The connection from which mails are read, and their reader. */
export interface MailSource {
  readonly client: ImapFlow;
  readonly reader: MailReader;
  readonly signal: AbortSignal;
}

/** The facts of a mail that are known before it is read. */
export interface Expected {
  readonly kind: MailKind;
  /** True if its writer may have left out what it carries. */
  readonly mayOmit: boolean;
  /** The address of the agent. */
  readonly own: string;
}

/** A mail whose sender may write, as far as it is read. */
export interface MailBody {
  /** The writer's own words. */
  readonly text: string;
  /** The mails that it answers or passes on: material. */
  readonly quoted: readonly Part[];
  /** True if another mail stands below the writer's words. */
  readonly hasTail: boolean;
  readonly attachments: readonly Attachment[];
}

/**
 * Reads the words of a mail from its server, piece by piece, so that a large one is never held
 * whole: at most its words with their markup (3 MiB), or one file at a time, as large as one that
 * is kept.
 */
export async function readBody(source: MailSource, uid: number, expected: Expected): Promise<MailBody> {
  const { client } = source;
  const found = await client.fetchOne(String(uid), { bodyStructure: true }, { uid: true });
  const structure = found ? found.bodyStructure : undefined;
  if (structure === undefined) return unreadable;
  const parts = sortParts(structure);
  const words = await wordsOf(source, uid, parts.words, maxWords);
  const { text, quoted, hasTail } = saidIn(words.text, expected);
  const forwarded = await wordsOf(source, uid, parts.forwarded, maxQuoted);
  return {
    text: [text, ...noticesOf(parts, words.isCut)].filter((line) => line !== "").join("\n\n"),
    quoted: asMaterial([...quoted, forwarded.text]),
    hasTail,
    attachments: parts.files.map((file) => asAttachment(client, uid, file)),
  };
}

/** Stands for a mail whose words are not known. */
export const unreadable: MailBody = {
  text: "[a mail that cannot be read]",
  quoted: [],
  hasTail: false,
  attachments: [],
};

/** Tells the writer's own words from others'; in doubt all words of a carrier are others'. */
function saidIn(
  words: string,
  { kind, mayOmit, own }: Expected,
): { readonly text: string; readonly quoted: readonly string[]; readonly hasTail: boolean } {
  const { text, quoted, tail } = readSaid(words, kind);
  const hasTail = tail !== undefined;
  if (kind === "carrier" && !mayOmit && !hasTail) return { text: "", quoted: [text], hasTail };
  // The agent's own words stand in the conversation already.
  const head = (quoted.at(-1) ?? "").slice(0, maxHead).toLowerCase();
  const isKnown = kind === "answer" && (tail === "marked" || (hasTail && head.includes(own)));
  return { text, quoted: isKnown ? quoted.slice(0, -1) : quoted, hasTail };
}

async function wordsOf(
  { client, reader, signal }: MailSource,
  uid: number,
  parts: readonly MailPart[],
  max: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const texts: string[] = [];
  let room = max;
  let isCut = parts.length > maxTexts;
  for (const part of parts.slice(0, maxTexts)) {
    const isHtml = part.type === "text/html";
    const { bytes, ...loaded } = await loadBeginning(client, uid, part, isHtml ? maxHtml : room);
    const read = isHtml ? await reader.html(bytes, part.charset, signal) : decodeText(bytes, part.charset);
    const text = read ?? "[words that take too long to read]";
    texts.push(text.slice(0, room));
    isCut ||= loaded.isCut || text.length > room;
    room -= Math.min(room, text.length);
    if (room === 0) break;
  }
  return { text: texts.join("\n\n"), isCut };
}

function noticesOf({ isEncrypted }: MailParts, isCut: boolean): readonly string[] {
  const notices: string[] = [];
  if (isCut) notices.push("[the mail goes on; only its first 1 MiB was read]");
  if (isEncrypted) notices.push("[an encrypted mail, which cannot be read here]");
  return notices;
}

/** Returns texts in order, as many as there is room for, and says so if some are left out. */
function asMaterial(texts: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  let room = maxAllQuoted;
  for (const text of texts.map((one) => one.trim()).filter((one) => one !== "")) {
    if (room <= 0 || parts.length >= maxQuotes) return [...parts, ...textParts("[more is quoted: not read]")];
    const max = Math.min(maxQuoted, room);
    parts.push(...textParts(text.length > max ? `${text.slice(0, max)}\n[cut]` : text));
    room -= Math.min(max, text.length);
  }
  return parts;
}

function asAttachment(client: ImapFlow, uid: number, part: MailPart): Attachment {
  const { type, name, bytes } = part;
  const [family] = type.split("/");
  return {
    kind: family === "image" ? "picture" : family === "audio" ? "audio" : "file",
    mime: type,
    ...(name !== undefined && { name }),
    bytes,
    load: (maxBytes) => loadPart(client, uid, part, maxBytes),
  };
}
