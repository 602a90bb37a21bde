import { parse } from "discord-markdown-parser";

interface Node {
  readonly type: string;
  /** The name of an emoji. */
  readonly name?: string;
  readonly content?: string | Node | readonly Node[];
}

/** Returns what a person reads of a message, by a well-kept reader of the platform's markdown. */
export function shownText(content: string): string {
  return wordsOf(parse(content, "extended") as unknown as readonly Node[]);
}

function wordsOf(content: Node["content"]): string {
  if (content === undefined) return "";
  if (typeof content === "string") return content;
  if (!("type" in content)) return content.map(wordsOf).join("");
  if (content.type === "twemoji") return content.name ?? "";
  if (content.type === "everyone" || content.type === "here") return `@${content.type}`;
  return content.type === "br" || content.type === "newline" ? "\n" : wordsOf(content.content);
}

/** Without white space and control signs, which a cut or the platform may take. */
export function visible(text: string): string {
  return text.toWellFormed().replace(/[\s\p{Cc}]+/gu, "");
}
