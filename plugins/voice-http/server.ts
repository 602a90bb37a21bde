import type { Upstream } from "@gantry/sdk";
import { scrubber } from "@gantry/sdk/channel";
import { beginningOf, providerAddress } from "@gantry/sdk/provider";
import { shownAddress } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";

const maxBytes = 16 * 1024 * 1024;
const timeoutMs = 120_000;

/** One path of a server, with the key that belongs to it. */
export interface VoiceServer {
  /** The address without a secret. */
  readonly shown: string;
  /** Posts a body. Throws VOICE_FAILED for any answer but 2xx, and `NET_*`. */
  post(body: Uint8Array, type: string, signal: AbortSignal): Promise<Response>;
}

interface Place {
  /** Under `voice`. */
  readonly key: "transcribe_url" | "speak_url";
  readonly path: string;
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
}

/**
 * Returns the server of an address, which may end with the path or stand before it; undefined
 * without an address. Throws VOICE_URL.
 */
export function voiceServer(upstream: Upstream, { key, path, url, apiKey }: Place): VoiceServer | undefined {
  if (url === undefined) return undefined;
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) throw errors.VOICE_URL(key, shownAddress(url));
  const { shown, secrets, at } = providerAddress(url);
  const address = shown.endsWith(`/${path}`) ? at("") : at(`/${path}`);
  const scrub = scrubber([...secrets, apiKey]);
  return {
    shown,
    async post(body, type, signal) {
      const headers = {
        "content-type": type,
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      };
      const request = { url: address, method: "POST", headers, body, signal, timeoutMs, maxBytes };
      const response = await upstream.fetch(request);
      if (response.ok) return response;
      const said = scrub(await beginningOf(response));
      throw errors.VOICE_FAILED(shown, `HTTP ${response.status}${said === "" ? "" : `, ${said}`}`);
    },
  };
}
