import { imageType, mediaBounds, type Media, type Part, type ToolResult } from "@gantry/sdk";
import type { CallToolResult, ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import { printable } from "@gantry/sdk/node";

/** Pictures and files of one result. */
const MAX_FILES = 10;

type Contents = ReadResourceResult["contents"][number];

/** The place where what comes with a result is kept, and for whom. */
export interface Keeping {
  readonly media: Media | undefined;
  readonly user: string;
}

/**
 * Returns what the model is shown of a result: texts as one, and pictures and files where they can
 * be kept.
 */
export async function resultOf(result: CallToolResult, keeping: Keeping): Promise<ToolResult> {
  const { content, structuredContent, isError } = result;
  const isEmpty = content.length === 0 && structuredContent !== undefined;
  const parts = isEmpty ? [text(JSON.stringify(structuredContent))] : await partsOf(content, keeping);
  return { parts: joined(parts), failed: isError === true };
}

/** Returns the parts of content, in order. */
export async function partsOf(content: readonly ContentBlock[], keeping: Keeping): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const block of content) parts.push(await partOf(block, keeping, parts));
  return parts;
}

/** Returns the contents of resources, each under its address. */
export async function resourceParts(
  contents: readonly Contents[],
  keeping: Keeping,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const one of contents) parts.push(await resourcePart(one, keeping, parts));
  return joined(parts);
}

async function partOf(block: ContentBlock, keeping: Keeping, before: readonly Part[]): Promise<Part> {
  if (block.type === "text") return text(block.text);
  if (block.type === "resource") return resourcePart(block.resource, keeping, before);
  if (block.type === "resource_link") return text(`[resource ${block.name}: ${block.uri}]`);
  if (block.type === "image" || block.type === "audio")
    return keep(block.data, block.mimeType, undefined, keeping, before);
  return text(`[${printable((block as { type: string }).type, 40)}]`);
}

async function resourcePart(contents: Contents, keeping: Keeping, before: readonly Part[]): Promise<Part> {
  const { uri, mimeType = "application/octet-stream" } = contents;
  if ("text" in contents) return text(`[resource ${uri}]\n${contents.text}`);
  return keep(contents.blob, mimeType, uri.split("/").at(-1), keeping, before);
}

/** Bytes are what they are, whatever the server calls them: a picture that is none is a file. */
async function keep(
  base64: string,
  stated: string,
  name: string | undefined,
  { media, user }: Keeping,
  before: readonly Part[],
): Promise<Part> {
  const bytes = Buffer.from(base64, "base64");
  const type = imageType(bytes);
  const mime = type ?? (/^image\//i.test(stated) ? "application/octet-stream" : stated);
  const shown = printable(`${name === undefined ? "" : `${name}, `}${stated}, ${bytes.length} bytes`, 200);
  const isTooLarge = bytes.length > (type === undefined ? mediaBounds.file : mediaBounds.image);
  const kept = before.filter((part) => part.type === "media").length;
  if (media === undefined || isTooLarge || kept >= MAX_FILES) return text(`[left out: ${shown}]`);
  try {
    const facts = { mime, user, ...(name !== undefined && { name }) };
    return { type: "media", media: await media.put(bytes, facts) };
  } catch (error) {
    return text(`[left out: ${shown}: ${(error as Error).message}]`);
  }
}

/** A result of many small texts is one. */
function joined(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  let texts: string[] = [];
  const end = (): void => {
    if (texts.length > 0) all.push(text(texts.join("\n")));
    texts = [];
  };
  for (const part of parts) {
    if (part.type === "text") texts.push(part.text);
    else {
      end();
      all.push(part);
    }
  }
  end();
  return all;
}

function text(value: string): Part {
  return { type: "text", text: value };
}
