import { imageType, mediaBounds, textParts, type Part } from "@gantry/sdk";
import { BadRequest, RefusedRequest } from "./bad-request.ts";
import type { ApiDeps } from "./deps.ts";
import { errors } from "./errors.ts";
import { isObject, type Sent } from "./parameters.ts";

/** One request has no more than so many addresses fetched. */
const mostFetched = 10;

const dataUrl = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z-]+=[^;,]*){0,4};base64,([A-Za-z0-9+/=\s]+)$/i;
const base64 = /^[A-Za-z0-9+/=\s]+$/;

const texts: readonly unknown[] = ["text", "input_text", "output_text"];

interface Bytes {
  readonly bytes: Uint8Array;
  readonly mime: string;
}

/** Keeps what the messages of one request have attached. */
export class Attachments {
  readonly #deps: Pick<ApiDeps, "media" | "net">;
  readonly #user: string;
  readonly #signal: AbortSignal;
  #fetched = 0;

  constructor(deps: Pick<ApiDeps, "media" | "net">, device: string, signal: AbortSignal) {
    this.#deps = deps;
    this.#user = `openai:${device}`;
    this.#signal = signal;
  }

  /** Returns the parts of a content; throws {@link RefusedRequest}, `MEDIA_*`, `NET_*`. */
  async parts(content: unknown, where: string): Promise<readonly Part[]> {
    if (content === undefined || content === null || content === "") return [];
    if (typeof content === "string") return textParts(content);
    if (!Array.isArray(content)) throw new BadRequest(where, "is neither text nor a list of parts");
    const parts: Part[] = [];
    // One after the other, so that what is fetched is bounded.
    for (const [at, part] of content.entries()) parts.push(await this.#part(part, `${where}[${at}]`));
    return parts;
  }

  async #part(part: unknown, where: string): Promise<Part> {
    if (!isObject(part)) throw new BadRequest(where, "is no part of a message");
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
    const given = url.startsWith("data:") ? inDataUrl(url) : await this.#fetch(url, mediaBounds.image, where);
    if (!given?.mime.startsWith("image/")) throw new BadRequest(where, "is no picture");
    return this.#kept(given, where);
  }

  async #file({ file_data: data, file_url: url, filename }: Sent, where: string): Promise<Part> {
    const name = typeof filename === "string" ? filename : undefined;
    if (typeof url === "string")
      return this.#kept(await this.#fetch(url, mediaBounds.file, where), where, name);
    const given = typeof data === "string" ? inFileData(data) : undefined;
    if (!given) throw new BadRequest(where, "holds no file in `file_data` or `file_url`");
    return this.#kept(given, where, name);
  }

  async #kept({ bytes, mime }: Bytes, where: string, name?: string): Promise<Part> {
    const media = this.#deps.media();
    if (!media) throw new RefusedRequest(400, where, errors.OPENAI_NO_MEDIA());
    const facts = { mime, user: this.#user, ...(name !== undefined && { name }) };
    return { type: "media", media: await media.put(bytes, facts) };
  }

  /** Reads an address as a tool would: only allowed domains, and no special address. */
  async #fetch(url: string, maxBytes: number, where: string): Promise<Bytes> {
    const net = this.#deps.net();
    if (!net) throw new RefusedRequest(400, where, errors.OPENAI_NO_NET());
    this.#fetched += 1;
    if (this.#fetched > mostFetched)
      throw new RefusedRequest(400, where, errors.OPENAI_MANY_ADDRESSES(mostFetched));
    const response = await net.fetch({ url, signal: this.#signal, maxBytes });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { host } = new URL(url);
    if (!response.ok) throw new RefusedRequest(400, where, errors.OPENAI_FETCH(host, response.status));
    const [stated = ""] = (response.headers.get("content-type") ?? "").split(";");
    return { bytes, mime: imageType(bytes) ?? (stated.trim() || typeOf(bytes)) };
  }
}

function inDataUrl(url: string): Bytes | undefined {
  const [, mime = "", data = ""] = dataUrl.exec(url) ?? [];
  return mime === "" ? undefined : { bytes: Buffer.from(data, "base64"), mime };
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
