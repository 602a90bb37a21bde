import type { Attachment } from "@gantry/sdk/channel";
import type { BotApi } from "./bot-api.ts";
import type { WireFile, WireMessage } from "./wire.ts";

const maxPhotoBytes = 5 * 1024 * 1024;
/** The platform hands out no larger file to bots. */
const maxBytes = 20 * 1024 * 1024;

/** A file of a message, not loaded. */
export interface FileOfMessage {
  readonly kind: string;
  readonly fileId: string;
  readonly name?: string;
  readonly mime?: string;
  readonly bytes?: number;
}

/** Returns the attachments beside the words of a message. */
export function attachmentsOf(message: WireMessage): readonly FileOfMessage[] {
  const { photo, voice, audio, video, video_note, animation, document } = message;
  const files: FileOfMessage[] = [];
  const add = (kind: string, file: WireFile | undefined, mime?: string): void => {
    if (file === undefined) return;
    const { file_id, file_name, mime_type = mime, file_size } = file;
    files.push({
      kind,
      fileId: file_id,
      ...(file_name !== undefined && { name: file_name }),
      ...(mime_type !== undefined && { mime: mime_type }),
      ...(file_size !== undefined && { bytes: file_size }),
    });
  };
  add("photo", bestOf(photo ?? []), "image/jpeg");
  add("voice message", voice, "audio/ogg");
  add("audio", audio);
  add("video", video);
  add("video message", video_note, "video/mp4");
  // An animation stands in a message as a document too.
  add("animation", animation);
  if (animation === undefined) add("file", document);
  return files;
}

/** The largest size within the bound, else the smallest there is. */
function bestOf(sizes: readonly WireFile[]): WireFile | undefined {
  const bySize = sizes.toSorted((a, b) => (a.file_size ?? 0) - (b.file_size ?? 0));
  return bySize.findLast(({ file_size = 0 }) => file_size <= maxPhotoBytes) ?? bySize[0];
}

export function asAttachment({ fileId, ...facts }: FileOfMessage, api: BotApi): Attachment {
  return { ...facts, maxBytes, load: (most, signal) => api.download(fileId, most, signal) };
}
