import type { Attachment } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import type { WebApi } from "./web-api.ts";
import type { WireFile } from "./wire.ts";

/**
 * A file of a message as an attachment; what an event holds back is asked for when it is loaded.
 */
export function asAttachment(file: WireFile, api: WebApi): Attachment {
  const { name, title, mimetype, size, subtype } = file;
  const known = name ?? title;
  return {
    kind: kindOf(mimetype ?? "", subtype),
    ...(known !== undefined && { name: known }),
    ...(mimetype !== undefined && mimetype !== "" && { mime: mimetype }),
    ...(size !== undefined && size > 0 && { bytes: size }),
    async load(most, signal) {
      const url = addressOf(file) ?? addressOf(await infoOf(file, api, signal));
      if (url === undefined) throw errors.SLACK_FILE("no address");
      return api.download(url, most, signal);
    },
  };
}

function kindOf(mime: string, subtype: string | undefined): string {
  if (subtype === "slack_audio") return "voice message";
  if (subtype === "slack_video") return "video message";
  const [kind = ""] = mime.split("/");
  return { image: "picture", audio: "audio", video: "video" }[kind] ?? "file";
}

function addressOf({ url_private_download, url_private }: WireFile): string | undefined {
  return url_private_download ?? url_private;
}

async function infoOf({ id }: WireFile, api: WebApi, signal: AbortSignal): Promise<WireFile> {
  return (await api.call<{ file: WireFile }>("files.info", { file: id }, { signal })).file;
}
