import type { Media, MediaRef, Part } from "@gantry/sdk";
import { describeMedia } from "@gantry/sdk";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

/** Returns a result of one text. */
export function textResult(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}

/** Returns the parts as MCP has them. A line tells of media whose bytes are not kept any more. */
export function contentOf(parts: readonly Part[], media: Media | undefined): Promise<ContentBlock[]> {
  const blocks = parts.map(async (part): Promise<readonly ContentBlock[]> => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    return part.type === "media" ? [await blockOf(part.media, media)] : [];
  });
  return Promise.all(blocks).then((all) => all.flat());
}

async function blockOf(ref: MediaRef, media: Media | undefined): Promise<ContentBlock> {
  const bytes = await media?.open(ref.id);
  if (!bytes) return { type: "text", text: describeMedia(ref) };
  const { id, mime, name } = ref;
  const data = Buffer.from(bytes).toString("base64");
  if (mime.startsWith("image/")) return { type: "image", data, mimeType: mime };
  if (mime.startsWith("audio/")) return { type: "audio", data, mimeType: mime };
  const uri = `gantry:media/${id}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
  return { type: "resource", resource: { uri, mimeType: mime, blob: data } };
}
