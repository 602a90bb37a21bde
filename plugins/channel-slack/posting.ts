import { createHash } from "node:crypto";
import type { Logger, Values } from "@gantry/sdk";
import { PlatformFailure } from "@gantry/sdk/channel";
import { placeOf, type SlackAddress } from "./address.ts";
import type { Params, WebApi } from "./web-api.ts";
import { codeOf, SlackFailure } from "./web-failure.ts";
import type { WireFile, WireMessage } from "./wire.ts";

const space = "slack.posts";
const dayMs = 86_400_000;
/** Slack's clock and ours may differ. */
const clocksMs = 300_000;
const eventType = "gantry_reply";
const maxPages = 5;

/** One try of a post: begun at `at`, and what is known of its end. */
interface Try {
  readonly at: number;
  /** The message that it became. */
  readonly ts?: string;
  /** The file that was handed over for it. */
  readonly file?: string;
}

interface Page {
  readonly messages?: readonly WireMessage[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

export interface PostingNeeds {
  readonly api: WebApi;
  readonly log: Logger;
  values(): Values;
}

/**
 * Posts each message once. Slack promises no idempotency, so each carries a name, a try is written down before it is made,
 * and where one may have got through, also of a process that was killed, the conversation is looked at before the next.
 */
export class Posting {
  readonly #needs: PostingNeeds;

  constructor(needs: PostingNeeds) {
    this.#needs = needs;
  }

  /** Gives the message's ts. `key` is the same for every try. Throws {@link PlatformFailure}. */
  post(key: string, to: SlackAddress, bodies: readonly Params[], signal: AbortSignal): Promise<string> {
    const name = nameOf(key);
    const metadata = { event_type: eventType, event_payload: { id: name } };
    return this.#once(key, {
      find: (before) => this.#find(to, name, before.at, signal),
      send: () =>
        this.#anyOf(
          bodies.map((body) => ({ ...body, metadata, client_msg_id: name })),
          to,
          signal,
        ),
    });
  }

  /** Shares bytes as a file; gives its id. */
  share(key: string, to: SlackAddress, file: SharedFile, signal: AbortSignal): Promise<string> {
    const { api } = this.#needs;
    return this.#once(key, {
      find: async ({ file: id }) => (id === undefined ? undefined : this.#shared(id, to, signal)),
      send: async (note) => {
        const { name: filename, bytes, comment } = file;
        const { upload_url, file_id } = await api.call<{ upload_url: string; file_id: string }>(
          "files.getUploadURLExternal",
          { filename, length: bytes.length },
          { signal },
        );
        await api.upload(upload_url, bytes, signal);
        await note({ file: file_id });
        const { channel, ...thread } = placeOf(to);
        const files = [{ id: file_id, title: filename }];
        const place = { channel_id: channel, ...thread };
        const said = comment === "" ? {} : { initial_comment: comment };
        await api.call(
          "files.completeUploadExternal",
          { files, ...place, ...said },
          { signal, timeoutMs: 60_000 },
        );
        return file_id;
      },
    });
  }

  async #once(key: string, { find, send }: Once): Promise<string> {
    const values = this.#needs.values();
    const keep = (made: Try): Promise<void> =>
      values.put(space, key, made, { forMs: made.at + dayMs - Date.now() });
    const before = await values.get<Try>(space, key);
    const known = before?.ts ?? (before && (await find(before)));
    if (known !== undefined) return known;

    let made: Try = { at: before?.at ?? Date.now() };
    if (before === undefined) await keep(made);
    try {
      const ts = await send((more) => keep((made = { ...made, ...more })));
      await keep({ ...made, ts });
      return ts;
    } catch (error) {
      // What was refused is not there, so nothing need be looked for.
      if (error instanceof PlatformFailure && isCertain(error)) await values.remove(space, key);
      throw error;
    }
  }

  /** The next form of a message is sent where the one before was not understood: an answer must not vanish for its looks. */
  async #anyOf(bodies: readonly Params[], to: SlackAddress, signal: AbortSignal): Promise<string> {
    const { api } = this.#needs;
    for (const [i, body] of bodies.entries()) {
      try {
        const post = { ...placeOf(to), ...body };
        return (await api.call<{ ts: string }>("chat.postMessage", post, { signal })).ts;
      } catch (error) {
        const isForm = error instanceof PlatformFailure && error.kind === "form";
        if (!isForm || i === bodies.length - 1) throw error;
      }
    }
    throw new SlackFailure("refused", "There is nothing to send.");
  }

  /** The message that an earlier try became; where that cannot be told, it is said and taken for not sent. */
  async #find(to: SlackAddress, name: string, at: number, signal: AbortSignal): Promise<string | undefined> {
    const { api, log } = this.#needs;
    const method = to.thread === undefined ? "conversations.history" : "conversations.replies";
    const about = {
      channel: to.channel,
      ...(to.thread !== undefined && { ts: to.thread }),
      oldest: ((at - clocksMs) / 1_000).toFixed(6),
      include_all_metadata: true,
      limit: 100,
    };
    try {
      let cursor: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const found: Page = await api.call<Page>(method, { ...about, cursor }, { signal });
        const hit = found.messages?.find(({ metadata }) => metadata?.event_payload?.id === name);
        if (hit !== undefined) return hit.ts;
        cursor = found.response_metadata?.next_cursor;
        if (!cursor) return undefined;
      }
      return undefined;
    } catch (error) {
      return this.#doubt(error, log);
    }
  }

  async #shared(id: string, { channel }: SlackAddress, signal: AbortSignal): Promise<string | undefined> {
    const { api, log } = this.#needs;
    try {
      const { file } = await api.call<{ file: WireFile }>("files.info", { file: id }, { signal });
      const places = Object.values(file.shares ?? {}).flatMap((shares) => Object.keys(shares));
      return places.includes(channel) ? id : undefined;
    } catch (error) {
      return this.#doubt(error, log);
    }
  }

  /** A platform that cannot be asked now is asked again; one that refuses to tell leaves a doubt. */
  #doubt(error: unknown, log: Logger): undefined {
    const isScope = codeOf(error) === "missing_scope";
    if (!(error instanceof PlatformFailure) || (error.kind !== "refused" && !isScope)) throw error;
    log.warn(
      {},
      `A message to Slack may arrive twice, as it cannot be told whether it did: ${error.message}`,
    );
    return undefined;
  }
}

export interface SharedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What is said with it, escaped; may be empty. */
  readonly comment: string;
}

interface Once {
  find(before: Try): Promise<string | undefined>;
  send(note: (more: Partial<Try>) => Promise<void>): Promise<string>;
}

function isCertain({ kind }: PlatformFailure): boolean {
  return kind !== "again" && kind !== "away";
}

/** A name in the form that Slack's own clients give to what they send: a UUID. */
function nameOf(key: string): string {
  const hex = createHash("sha256").update(key).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
