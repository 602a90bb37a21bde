import type { OutgoingFile } from "@gantry/sdk/channel";
import type { ChatAddress } from "./address.ts";

/** A picture is shown up to this size; a larger one goes as a file. */
const maxPhotoBytes = 10 * 1024 * 1024;
/** Of a caption, in UTF-16 units. */
const maxCaption = 1_024;

export type Upload = "sendPhoto" | "sendDocument" | "sendMediaGroup" | "sendVoice";

/** Returns true if the platform shows the file as a picture. */
export function isPhoto({ media, bytes }: OutgoingFile): boolean {
  return /^image\/(?:png|jpeg|webp)$/.test(media.mime) && bytes.length <= maxPhotoBytes;
}

/** Returns a call that brings files along: one under the name that its method takes, or an album. */
export function uploadForm(method: Upload, files: readonly OutgoingFile[], to: ChatAddress): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(to))
    form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  if (method === "sendMediaGroup") {
    const album = files.map((file, i) => ({
      type: isPhoto(file) ? "photo" : "document",
      media: `attach://file${i}`,
      ...captionOf(file),
    }));
    form.set("media", JSON.stringify(album));
  }
  for (const [i, file] of files.entries()) {
    const album = `file${i}`;
    const names = { sendPhoto: "photo", sendDocument: "document", sendVoice: "voice", sendMediaGroup: album };
    const { mime, name = "file" } = file.media;
    form.set(names[method], new Blob([file.bytes as Uint8Array<ArrayBuffer>], { type: mime }), name);
    const { caption } = captionOf(file);
    if (method !== "sendMediaGroup" && caption !== undefined) form.set("caption", caption);
  }
  return form;
}

function captionOf({ media: { alt = "" } }: OutgoingFile): { readonly caption?: string } {
  return alt === "" ? {} : { caption: alt.slice(0, maxCaption).toWellFormed() };
}
