import { counted, mediaBounds, textParts, type Media, type ToolResult } from "@gantry/sdk";

export interface PictureFile {
  readonly data: Uint8Array;
  /** The size of the file, of which `data` may be the beginning. */
  readonly bytes: number;
  readonly mime: string;
  readonly path: string;
  readonly user: string;
}

/** A picture for the model to see; what is too large for one is told as text. */
export async function picture(media: Media, file: PictureFile): Promise<ToolResult> {
  const { data, bytes, mime, path, user } = file;
  if (bytes > mediaBounds.image)
    return `[${path} is a picture (${mime}) of ${counted(bytes, "byte")}; at most ${mediaBounds.image} can be shown]`;
  const ref = await media.put(data, { mime, name: path, user });
  return {
    parts: [...textParts(`[${path}: ${mime}, ${counted(bytes, "byte")}]`), { type: "media", media: ref }],
    failed: false,
  };
}
