import { imageType, type Media, type MediaRef, type Route } from "@gantry/sdk";
import { personOf } from "../shared/may-read.ts";
import { queryOf } from "../shared/route-page.ts";
import { errors } from "./errors.ts";

/** Files of one person, and the people who have some: the oldest is forgotten first. */
const mostKept = 100;
const mostPeople = 1_000;

/** Files that a device has sent and may put into a message: nobody names what another has sent. */
export class Uploads {
  readonly #sent = new Map<string, Map<string, MediaRef>>();

  add(user: string, ref: MediaRef): void {
    const own = this.#sent.get(user) ?? new Map<string, MediaRef>();
    this.#sent.set(user, own);
    own.set(ref.id, ref);
    forgetOldest(own, mostKept);
    forgetOldest(this.#sent, mostPeople);
  }

  /** Throws CONSOLE_NO_UPLOAD. */
  take(user: string, id: string): MediaRef {
    const ref = this.#sent.get(user)?.get(id);
    if (!ref) throw errors.CONSOLE_NO_UPLOAD(id.slice(0, 64));
    return ref;
  }
}

function forgetOldest(kept: Map<string, unknown>, most: number): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size > most) kept.delete(oldest);
}

/** Takes the bytes of a file that goes into the next message. */
export function uploadWork(uploads: Uploads, media: Media | undefined): Route["handle"] {
  return async (request) => {
    if (!media) throw errors.CONSOLE_NO_MEDIA();
    const { rawBody, headers } = request;
    const user = personOf(request);
    // The bytes say what a picture is; a page could say anything.
    const mime = imageType(rawBody) ?? String(headers["content-type"] ?? "application/octet-stream");
    const name = queryOf(request, "name");
    const ref = await media.put(rawBody, { mime, user, ...(name !== undefined && { name }) });
    uploads.add(user, ref);
    return { status: 200, body: ref };
  };
}
