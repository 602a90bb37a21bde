import { createHash } from "node:crypto";
import { PlatformFailure, type Delivery, type OutgoingFile } from "@gantry/sdk/channel";
import { placeOf, type SlackAddress } from "./address.ts";
import type { Params, WebApi } from "./web-api.ts";
import { codeOf } from "./web-failure.ts";
import type { WireMessage } from "./wire.ts";

const dayMs = 86_400_000;
const maxPages = 5;

interface Page {
  readonly messages?: readonly WireMessage[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

/**
 * Posts messages. Slack promises no idempotency, so each carries a name by which one that may have
 * got through is found.
 */
export class Posting {
  readonly #api: WebApi;

  constructor(api: WebApi) {
    this.#api = api;
  }

  /**
   * Resolves to the message's ts. The next of `bodies` is sent if the one before was not
   * understood: an answer must not vanish for its looks.
   */
  async post([body = {}, ...others]: readonly Params[], to: Delivery<SlackAddress>): Promise<string> {
    const id = nameOf(to);
    const metadata = { event_type: "gantry_reply", event_payload: { id } };
    const message = { ...placeOf(to.address), ...body, metadata, client_msg_id: id };
    try {
      return (await this.#api.call<{ ts: string }>("chat.postMessage", message, { signal: to.signal })).ts;
    } catch (error) {
      const isForm = error instanceof PlatformFailure && error.kind === "form";
      if (!isForm || others.length === 0) throw error;
      return this.post(others, to);
    }
  }

  /** Resolves to the ts of the message that an earlier try became, if it is there. */
  async find(to: Delivery<SlackAddress>): Promise<string | undefined> {
    const id = nameOf(to);
    const oldest = to.address.message ?? ((Date.now() - dayMs) / 1_000).toFixed(6);
    const asked = { ...to.address, oldest, include_all_metadata: true } as const;
    try {
      for await (const messages of pagesOf(this.#api, asked, to.signal)) {
        const hit = messages.find(({ metadata }) => metadata?.event_payload?.id === id);
        if (hit !== undefined) return hit.ts;
      }
      return undefined;
    } catch (error) {
      // Slack will not tell, which is not a fault of the account.
      if (codeOf(error) !== "missing_scope") throw error;
      throw new PlatformFailure("refused", (error as Error).message);
    }
  }

  /** Shares a file; resolves to its id. `comment` stands with it, escaped. */
  async share(
    { media: { name = "file" }, bytes }: OutgoingFile,
    comment: string,
    { address, signal }: Delivery<SlackAddress>,
  ): Promise<string> {
    const api = this.#api;
    const about = { filename: name, length: bytes.length };
    const method = "files.getUploadURLExternal";
    const { upload_url, file_id } = await api.call<{ upload_url: string; file_id: string }>(method, about, {
      signal,
    });
    await api.upload(upload_url, bytes, signal);
    const { channel: channel_id, ...thread } = placeOf(address);
    const initial_comment = comment === "" ? undefined : comment;
    const shared = { files: [{ id: file_id, title: name }], channel_id, ...thread, initial_comment };
    await api.call("files.completeUploadExternal", shared, { signal, timeoutMs: 60_000 });
    return file_id;
  }
}

/** Yields the first pages of messages of a conversation or thread since `oldest`. */
export async function* pagesOf(
  api: WebApi,
  asked: SlackAddress & { readonly oldest: string; readonly include_all_metadata?: true },
  signal: AbortSignal,
): AsyncGenerator<readonly WireMessage[]> {
  const method = asked.thread === undefined ? "conversations.history" : "conversations.replies";
  const { channel, thread, oldest, include_all_metadata } = asked;
  const about = { channel, ts: thread, oldest, include_all_metadata, limit: 100 };
  let cursor: string | undefined;
  for (let page = 0; page < maxPages && cursor !== ""; page += 1) {
    const found: Page = await api.call<Page>(method, { ...about, cursor }, { signal });
    yield found.messages ?? [];
    cursor = found.response_metadata?.next_cursor ?? "";
  }
}

/** Returns the name of a message, the same for every try: a UUID, as Slack's own clients give. */
function nameOf({ key, index }: Delivery<SlackAddress>): string {
  const hex = createHash("sha256").update(`${key}#${index}`).digest("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join("-");
}
