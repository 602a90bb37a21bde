import PostalMime, { addressParser } from "postal-mime";
import { readAddress } from "./mail-address.ts";
import { maxHeadBytes, type HeadFacts } from "./mail-head.ts";
import { readStructured } from "./structured-header.ts";

const maxSubject = 200;
const maxName = 80;
/** Ids of a thread that are looked at. */
const maxIds = 50;
/** `Ada <ada@example.com>` or the address alone, without comments. */
const mailboxForm = /^[^<>,;:]*<\s*([^<>\s]+)\s*>\s*$|^\s*([^<>,;:\s]+)\s*$/;
const idForm = /<[^\s<>@]{1,200}@[^\s<>@]{1,200}>/g;

/** Reads the beginning of a mail. Throws if it has no header that can be read. */
export async function readHead(bytes: Uint8Array): Promise<HeadFacts> {
  const options = { maxHeadersSize: maxHeadBytes * 2, maxNestingDepth: 2 };
  const { headers, subject = "" } = await PostalMime.parse(headOf(bytes), options);
  const all = (name: string): readonly string[] =>
    headers.filter(({ key }) => key === name).map(({ value }) => value);

  const froms = all("from");
  const people = froms.length === 1 ? addressParser(froms[0] as string, { flatten: true }) : [];
  const [person] = people;
  const whole = addressIn(froms[0] ?? "");
  const isClear = people.length === 1 && readAddress(person?.address ?? "") === whole;
  const address = isClear ? whole : undefined;
  const name = clean(person?.name ?? "", maxName);
  const answered = [...all("references"), ...all("in-reply-to")].flatMap(idsIn);
  const [id] = all("message-id").flatMap(idsIn);
  return {
    ...(address !== undefined && { from: { address, ...(name !== "" && { name }) } }),
    isWhole: bytes.length < maxHeadBytes || endOf(bytes) >= 0,
    subject: clean(subject, maxSubject),
    ...(id !== undefined && { id }),
    references: [...new Set(answered)].slice(0, maxIds),
    headers: headers.map(({ key, value }): [string, string] => [key, value]),
  };
}

/** Returns the one address that the header holds; undefined if anything else stands there. */
function addressIn(value: string): string | undefined {
  const [, bracketed, alone = ""] = mailboxForm.exec(readStructured(value)?.text ?? "") ?? [];
  return readAddress(bracketed ?? alone);
}

function idsIn(value: string): readonly string[] {
  return value.slice(0, maxHeadBytes).match(idForm) ?? [];
}

/** Returns the end of the header, by its empty line; -1 if it has none. */
function endOf(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ends = [text.indexOf("\r\n\r\n"), text.indexOf("\n\n")].filter((at) => at >= 0);
  return ends.length > 0 ? Math.min(...ends) : -1;
}

/** Returns the header; one that was cut off ends with its last whole line. */
function headOf(bytes: Uint8Array): Uint8Array {
  const end = endOf(bytes);
  const last = end >= 0 ? end : bytes.lastIndexOf(10);
  return Buffer.concat([bytes.subarray(0, Math.max(last, 0)), Buffer.from("\r\n\r\n")]);
}

function clean(text: string, max: number): string {
  return text
    .replace(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, max);
}
