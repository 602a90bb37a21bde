import { imageType, textParts, type Part } from "@gantry/sdk";
import { BadRequest, RefusedRequest } from "./bad-request.ts";
import type { ApiDeps } from "./deps.ts";
import { errors } from "./errors.ts";
import { isObject, type Sent } from "./parameters.ts";

const dataUrl = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z-]+=[^;,]*){0,4};base64,([A-Za-z0-9+/=\s]+)$/i;
const base64 = /^[A-Za-z0-9+/=\s]+$/;

const texts: readonly unknown[] = ["text", "input_text", "output_text"];

interface Bytes {
  readonly bytes: Uint8Array;
  readonly mime: string;
}

/** Keeps what the messages of one request have attached. */
export class Attachments {
  readonly #media: ApiDeps["media"];
  readonly #user: string;

  constructor({ media }: Pick<ApiDeps, "media">, device: string) {
    this.#media = media;
    this.#user = `openai:${device}`;
  }

  /** Returns the parts of a content; throws {@link RefusedRequest}, `MEDIA_*`. */
  async parts(content: unknown, where: string): Promise<readonly Part[]> {
    if (content === undefined || content === null || content === "") return [];
    if (typeof content === "string") return textParts(content);
    if (!Array.isArray(content)) throw new BadRequest(where, "is neither text nor a list of parts");
    const parts: Part[] = [];
    for (const [at, part] of content.entries()) parts.push(await this.#part(part, `${where}[${at}]`));
    return parts;
  }

  async #part(part: unknown, where: string): Promise<Part> {
    if (!isObject(part)) throw new BadRequest(where, "is not a part of a message");
    const { type, text, refusal } = part;
    if (texts.includes(type) && typeof text === "string") return { type: "text", text };
    if (type === "refusal" && typeof refusal === "string") return { type: "text", text: refusal };
    if (type === "image_url" || type === "input_image") return this.#image(part, where);
    if (type === "input_file") return this.#file(part, where);
    if (type === "file" && isObject(part["file"])) return this.#file(part["file"], where);
    throw new BadRequest(where, "is neither a text nor a picture nor a file");
  }

  async #image({ image_url: image }: Sent, where: string): Promise<Part> {
    const url = String(isObject(image) ? image["url"] : image);
    if (isAddress(url)) throw new RefusedRequest(400, where, errors.OPENAI_ADDRESS());
    const given = inDataUrl(url);
    if (!given?.mime.startsWith("image/")) throw new BadRequest(where, "is not a picture");
    return this.#kept(given, where);
  }

  async #file({ file_data: data, file_url: url, filename }: Sent, where: string): Promise<Part> {
    if (typeof url === "string") throw new RefusedRequest(400, where, errors.OPENAI_ADDRESS());
    const given = typeof data === "string" ? inFileData(data) : undefined;
    if (!given) throw new BadRequest(where, "holds no file in `file_data`");
    return this.#kept(given, where, typeof filename === "string" ? filename : undefined);
  }

  async #kept({ bytes, mime }: Bytes, where: string, name?: string): Promise<Part> {
    const media = this.#media();
    if (!media) throw new RefusedRequest(400, where, errors.OPENAI_NO_MEDIA());
    const facts = { mime, user: this.#user, ...(name !== undefined && { name }) };
    return { type: "media", media: await media.put(bytes, facts) };
  }
}

function inDataUrl(url: string): Bytes | undefined {
  const [, mime = "", data = ""] = dataUrl.exec(url) ?? [];
  return mime === "" ? undefined : { bytes: Buffer.from(data, "base64"), mime };
}

/** Returns true for what somebody would have to fetch. */
function isAddress(url: string): boolean {
  return URL.canParse(url) && !url.startsWith("data:");
}

function inFileData(data: string): Bytes | undefined {
  if (data.startsWith("data:")) return inDataUrl(data);
  if (!base64.test(data)) return undefined;
  const bytes = Buffer.from(data, "base64");
  return { bytes, mime: typeOf(bytes) };
}

/** Returns the type of bytes that nobody has named one for. */
function typeOf(bytes: Uint8Array): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 5));
  if (head === "%PDF-") return "application/pdf";
  const image = imageType(bytes);
  if (image !== undefined) return image;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "text/plain";
  } catch {
    return "application/octet-stream";
  }
}
