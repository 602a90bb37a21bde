import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResourceResource } from "@agentclientprotocol/sdk";
import { imageType, mediaBounds, type Media, type Part } from "@gantry/sdk";
import { isInside, printable } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** The words of a person's prompt, and what they attach, which is material for the model. */
export interface Said {
  readonly parts: readonly Part[];
  readonly quoted: readonly Part[];
}

interface Bringing {
  readonly media: Media | undefined;
  /** `<channel>:<id>` of who brings it. */
  readonly user: string;
  /** The folder that names of files lead from. */
  readonly folder: string;
}

/**
 * Reads a prompt. Texts and links stand in one text, as they stand in a line of the editor. Throws
 * ACP_CONTENT, ACP_PROMPT_EMPTY, MEDIA_TOO_LARGE and MEDIA_TOO_MUCH.
 */
export async function readPrompt(blocks: readonly ContentBlock[], bringing: Bringing): Promise<Said> {
  let text = "";
  const parts: Part[] = [];
  const quoted: Part[] = [];
  for (const block of blocks) {
    if (block.type === "text") text += block.text;
    else if (block.type === "resource_link") text += linked(shownUri(block.uri, bringing.folder));
    else if (block.type === "image") parts.push(await picture(block.data, bringing));
    else if (block.type === "resource") quoted.push(...(await attached(block.resource, bringing)));
    else throw errors.ACP_CONTENT(printable(block.type, 40), "no model here hears it");
  }
  if (text.trim() === "" && parts.length + quoted.length === 0) throw errors.ACP_PROMPT_EMPTY();
  return { parts: [...parts, { type: "text", text }], quoted };
}

/** Returns a link in a line; no name of a file ends its backticks. */
function linked(uri: string): string {
  return `\`${uri.replaceAll("`", "'")}\``;
}

async function attached(resource: EmbeddedResourceResource, bringing: Bringing): Promise<readonly Part[]> {
  const name = shownUri(resource.uri, bringing.folder);
  if ("text" in resource) return [{ type: "text", text: `${name}:\n${resource.text}` }];
  return [{ type: "text", text: `${name}:` }, await picture(resource.blob, bringing)];
}

async function picture(data: string, { media, user }: Bringing): Promise<Part> {
  // A third more than the bytes, which Media bounds by itself.
  if (data.length > mediaBounds.file * 1.5) throw errors.ACP_CONTENT("picture", "it is too large");
  const bytes = Buffer.from(data, "base64");
  const mime = imageType(bytes);
  if (mime === undefined)
    throw errors.ACP_CONTENT("data", "it is no picture in PNG, JPEG, GIF or WebP by its first bytes");
  if (!media) throw errors.ACP_CONTENT("picture", "no loaded plugin keeps media");
  return { type: "media", media: await media.put(bytes, { mime, user }) };
}

/** Returns the path of a file in the folder from there, and any other address as it is. */
function shownUri(uri: string, folder: string): string {
  try {
    const file = fileURLToPath(uri);
    return printable(isInside(file, folder) ? path.relative(folder, file) || "." : file, 1_000);
  } catch {
    return printable(uri, 1_000);
  }
}
