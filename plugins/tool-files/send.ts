import path from "node:path";
import { counted, defineTool, imageType, mediaBounds, textParts } from "@gantry/sdk";
import type { EffectsContext } from "@gantry/sdk/fill";
import type { Media, Tool } from "@gantry/sdk";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import { type FileOptions, checkedPath, filesOf, isBinary, pathInput } from "./files.ts";

/** The length of a caption that most platforms take. */
const CAPTION_LENGTH = 1_000;

const TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".html": "text/html",
  ".json": "application/json",
  ".md": "text/markdown",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".ogg": "audio/ogg",
  ".pdf": "application/pdf",
  ".svg": "image/svg+xml",
  ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ".zip": "application/zip",
};

export function sendTool(options: FileOptions & { readonly media: Media | undefined }): Tool {
  const { sandbox, media, timeoutMs } = options;
  return defineTool({
    name: "send_file",
    description:
      "Hands a picture or another file to the person, beside your answer. They see it; you see only that it was handed over.",
    input: Type.Object({
      path: pathInput,
      caption: Type.Optional(
        Type.String({ maxLength: CAPTION_LENGTH, description: "What it shows, for the person." }),
      ),
    }),
    timeoutMs,
    offered: () => sandbox !== undefined && media !== undefined,
    effects: ({ path }, context) => ({ paths: [{ path, access: "read" }], recipients: othersIn(context) }),
    async run({ args: { path: written, caption = "" }, effects, user, signal }) {
      if (media === undefined) throw errors.SEND_NO_MEDIA();
      const file = checkedPath(effects);
      const { data, bytes } = await filesOf(options).read(file, mediaBounds.file + 1, signal);
      if (bytes > mediaBounds.file) throw errors.SEND_TOO_LARGE(written, bytes, mediaBounds.file);
      if (bytes === 0) throw errors.SEND_EMPTY(written);
      const name = path.basename(file);
      const alt = caption.trim();
      const ref = await media.put(data, { mime: typeOf(name, data), name, user, ...(alt && { alt }) });
      const told = `${written} (${ref.mime}, ${counted(bytes, "byte")}) goes to the person with your answer.`;
      return { parts: [...textParts(told), { type: "media", media: ref, forPerson: true }], failed: false };
    },
  });
}

/**
 * Returns who else gets what is handed over: a group reads its answers together, and only an
 * owner's files are their own.
 */
function othersIn({ origin }: EffectsContext): readonly string[] {
  if (origin === undefined) return [];
  const { channel, conversation, trust } = origin;
  const place = `${channel}:${conversation.id}`;
  if (conversation.kind === "group") return [`everybody in the group ${place}`];
  return trust === "owner" ? [] : [place];
}

function typeOf(name: string, data: Uint8Array): string {
  const known = imageType(data) ?? TYPES[path.extname(name).toLowerCase()];
  return known ?? (isBinary(data) ? "application/octet-stream" : "text/plain");
}
