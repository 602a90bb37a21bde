import type { MessageStructureObject } from "imapflow";

/** A piece of a mail, by the number that its server gives it. */
export interface MailPart {
  readonly part: string;
  /** In small letters: `text/plain`. */
  readonly type: string;
  /** As the server tells it, with the transfer encoding taken off; about right. */
  readonly bytes: number;
  readonly charset?: string;
  readonly name?: string;
}

/** The parts of a mail, by what they are for. */
export interface MailParts {
  /** Its writer's text; of each alternative the plainest. */
  readonly words: readonly MailPart[];
  /** Texts of the mails that are attached to it. */
  readonly forwarded: readonly MailPart[];
  readonly files: readonly MailPart[];
  /** True if something in it can be read only by its receiver. */
  readonly isEncrypted: boolean;
}

/** A mail with more was not written by a person, and the rest of it is left out. */
const maxParts = 500;
const maxDepth = 40;
const signatures = /^application\/(?:pgp-signature|(?:x-)?pkcs7-signature|pgp-keys)$/;
const encrypted = /^(?:application\/pgp-encrypted|application\/(?:x-)?pkcs7-mime|multipart\/encrypted)$/;

/** Sorts the pieces of a mail by what they are for. */
export function sortParts(structure: MessageStructureObject): MailParts {
  const sorter = new Sorter();
  sorter.walk(structure, "words", 0);
  return sorter.parts;
}

/** The use of a piece's text, by its place in the mail. */
type Role = "words" | "forwarded" | "nothing";

class Sorter {
  readonly #words: MailPart[] = [];
  readonly #forwarded: MailPart[] = [];
  readonly #files: MailPart[] = [];
  #isEncrypted = false;
  #seen = 0;

  get parts(): MailParts {
    return {
      words: this.#words,
      forwarded: this.#forwarded,
      files: this.#files,
      isEncrypted: this.#isEncrypted,
    };
  }

  walk(node: MessageStructureObject, role: Role, depth: number): void {
    if ((this.#seen += 1) > maxParts || depth > maxDepth) return;
    const type = node.type.toLowerCase();
    const children = node.childNodes ?? [];
    if (encrypted.test(type)) this.#isEncrypted = true;
    if (type === "multipart/alternative") this.#alternative(children, role, depth + 1);
    else if (type.startsWith("multipart/")) for (const child of children) this.walk(child, role, depth + 1);
    else if (type === "message/rfc822" && children.length > 0)
      for (const child of children) this.walk(child, role === "nothing" ? role : "forwarded", depth + 1);
    else this.#leaf(node, type, role);
  }

  /** Walks several forms of one content: one is read, and of the others only what is not a text. */
  #alternative(children: readonly MessageStructureObject[], role: Role, depth: number): void {
    const best =
      children.find((child) => holds(child, "text/plain", 0)) ??
      children.find((child) => holds(child, "text/html", 0)) ??
      children[0];
    for (const child of children) this.walk(child, child === best ? role : "nothing", depth);
  }

  #leaf(node: MessageStructureObject, type: string, role: Role): void {
    if (signatures.test(type) || encrypted.test(type)) return;
    const part = partOf(node, type);
    const isText = isWords(node, type);
    if (isText && role === "words") this.#words.push(part);
    else if (isText && role === "forwarded") this.#forwarded.push(part);
    else if (!isText) this.#files.push(part);
  }
}

function isWords(
  { disposition, dispositionParameters, parameters }: MessageStructureObject,
  type: string,
): boolean {
  const isNamed = (dispositionParameters?.["filename"] ?? parameters?.["name"]) !== undefined;
  return /^text\/(?:plain|html)$/.test(type) && disposition?.toLowerCase() !== "attachment" && !isNamed;
}

/** Returns true if a piece is, or holds, words of this type; an empty text does not count. */
function holds(node: MessageStructureObject, type: string, depth: number): boolean {
  const own = node.type.toLowerCase();
  if (own === type) return isWords(node, own) && (node.size ?? 1) > 0;
  return (
    depth < maxDepth &&
    own.startsWith("multipart/") &&
    (node.childNodes ?? []).some((child) => holds(child, type, depth + 1))
  );
}

function partOf(node: MessageStructureObject, type: string): MailPart {
  const { part = "1", size = 0, encoding = "", parameters, dispositionParameters } = node;
  const name = dispositionParameters?.["filename"] ?? parameters?.["name"];
  const charset = parameters?.["charset"];
  // Lines of base64 are 76 characters and their end for 57 bytes.
  const bytes = encoding.toLowerCase() === "base64" ? Math.floor((size * 57) / 78) : size;
  return {
    part,
    type,
    bytes,
    ...(charset !== undefined && { charset }),
    ...(name !== undefined && { name }),
  };
}
