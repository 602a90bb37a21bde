import type { PageView, ViewElement } from "./browser.ts";

/** Characters of a page's text in one answer. */
const MAX_TEXT = 20_000;
const MAX_ELEMENTS = 300;
/** The bound of a name or a value. */
const MAX_NAME = 200;

/** The page in words: what it is, what happened, its text, and a line for each element. */
export function report({ url, title, text, elements, notes }: PageView, maxBytes: number): string {
  const lines = elements.slice(0, MAX_ELEMENTS).map((element, at) => lineOf(element, at + 1));
  const told = [...notes];
  if (elements.length > MAX_ELEMENTS)
    told.push(`${elements.length - MAX_ELEMENTS} more elements are not shown`);
  if (text.length > MAX_TEXT) told.push(`the text is cut after ${MAX_TEXT} of ${text.length} characters`);
  const head = [...(title === "" ? [] : [title]), url === "" ? "[a blank page]" : url];
  const whole = [
    ...head,
    ...told.map((note) => `[${note}]`),
    "",
    text.slice(0, MAX_TEXT),
    ...(lines.length > 0 ? ["", ...lines] : []),
  ].join("\n");
  return cut(whole, maxBytes);
}

function lineOf({ role, name, value }: ViewElement, number: number): string {
  const held = value === undefined || value === "" ? "" : ` = ${JSON.stringify(short(value))}`;
  return `[${number}] ${role} ${JSON.stringify(short(name))}${held}`;
}

const short = (text: string): string => {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > MAX_NAME ? `${flat.slice(0, MAX_NAME)}…` : flat;
};

function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const note = "\n[cut: tools.max_output_bytes]";
  const room = Buffer.from(text).subarray(0, Math.max(0, maxBytes - note.length));
  return new TextDecoder().decode(room, { stream: true }) + note;
}
