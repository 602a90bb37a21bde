import type { Media, MediaRef, Route } from "@gantry/sdk";
import type { Sessions } from "@gantry/sdk/fill";
import { mayRead } from "../shared/may-read.ts";
import { errors } from "./errors.ts";

/** Files of older turns are in what `sessions export` gives. */
const turnsLookedAt = 1_000;

/** Types that a browser shows without running anything. */
const shown = /^(?:image\/(?:png|jpeg|gif|webp)|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

export interface MediaLink extends MediaRef {
  /** The address of its bytes, for those who may read the session. */
  readonly url: string;
}

/** Returns a file that was handed over in a session, with the address of its bytes. */
export function linked(file: MediaRef, session: string): MediaLink {
  return { ...file, url: `/api/media/${file.id}?session=${encodeURIComponent(session)}` };
}

/** Makes the route of the bytes of a file that a session names. */
export function mediaRoute(sessions: Sessions, media: Media | undefined): Route {
  return {
    name: "GET /api/media/:id",
    method: "GET",
    path: "/api/media/:id",
    auth: "token",
    may: "talk",
    summary: "The bytes of a picture or a file of the session that `session` names, for who may read that.",
    async handle(request) {
      const { id = "" } = request.params;
      const session = String(request.query["session"] ?? "");
      const file = (await mayRead(sessions, session, request)) && (await fileOf(sessions, session, id));
      const bytes = file && (await media?.open(id));
      // A file that is not theirs to read looks like one that does not exist.
      if (!file || !bytes) throw errors.GATEWAY_MEDIA_UNKNOWN();
      return { status: 200, bytes, headers: headersOf(file) };
    },
  };
}

async function fileOf(sessions: Sessions, session: string, id: string): Promise<MediaRef | undefined> {
  const messages = await sessions.recent(session, turnsLookedAt);
  const files = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "media" ? [part.media] : [])),
  );
  return files.find((file) => file.id === id);
}

/** Returns headers by which a page of somebody else's is saved, never shown as one of ours. */
function headersOf({ mime, name = "file" }: MediaRef): Readonly<Record<string, string>> {
  const how = shown.test(mime) ? "inline" : "attachment";
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return {
    "content-type": mime,
    "content-disposition": `${how}; filename*=UTF-8''${encoded}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
  };
}
