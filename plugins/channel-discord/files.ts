import { voiceMessage, type Attachment } from "@gantry/sdk/channel";
import type { Rest } from "./rest.ts";
import type { WireAttachment, WireMessage } from "./wire.ts";

/** A flag of a message: https://docs.discord.com/developers/resources/message#message-object-message-flags */
const isVoice = 1 << 13;

/** A file of a message, not loaded. */
export interface FileOfMessage {
  readonly kind: string;
  readonly url: string;
  readonly name?: string;
  readonly mime?: string;
  readonly bytes?: number;
}

/** Returns the attachments beside the words of a message, also of one that is passed on. */
export function attachmentsOf({
  attachments = [],
  flags,
  message_snapshots = [],
}: WireMessage): readonly FileOfMessage[] {
  const passedOn = message_snapshots.flatMap(({ message }) => message?.attachments ?? []);
  const isSpeech = ((flags ?? 0) & isVoice) !== 0;
  return [...attachments, ...passedOn].map((file) => {
    const { url, filename: name, size: bytes, content_type } = file;
    // The type may have parameters: `text/plain; charset=utf-8`.
    const mime = content_type?.split(";", 1)[0]?.trim().toLowerCase();
    return {
      kind: isSpeech ? voiceMessage : kindOf(mime, file),
      url,
      ...(name !== undefined && { name }),
      ...(mime !== undefined && mime !== "" && { mime }),
      ...(typeof bytes === "number" && { bytes }),
    };
  });
}

function kindOf(mime: string | undefined, { filename = "" }: WireAttachment): string {
  if (mime?.startsWith("image/") || /\.(?:png|jpe?g|gif|webp)$/i.test(filename)) return "photo";
  return mime?.startsWith("video/") ? "video" : mime?.startsWith("audio/") ? "audio" : "file";
}

export function asAttachment({ url, ...facts }: FileOfMessage, rest: Rest): Attachment {
  return { ...facts, load: (most, signal) => rest.download(url, most, signal) };
}
