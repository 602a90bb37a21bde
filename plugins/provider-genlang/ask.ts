import { randomUUID } from "node:crypto";
import { answerFailure, providerAddress } from "@gantry/sdk/provider";
import type { ProviderFailure, Upstream } from "@gantry/sdk";
import type { Body } from "./body.ts";
import { NAME } from "./config.ts";
import type { GenlangConfig } from "./config.ts";

/** The address of a request, and its form. */
export interface Target {
  readonly url: (action: string) => URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly wrap: (body: Body) => object;
  readonly secrets: readonly string[];
}

export type Opened =
  | { readonly ok: true; readonly response: Response; readonly secrets: readonly string[] }
  | { readonly ok: false; readonly failure: ProviderFailure; readonly body: string };

export function keyTarget(config: GenlangConfig, model: string, key: string): Target {
  return {
    url(action) {
      const url = new URL(
        providerAddress(config.endpoints.genlang_url).at(`/models/${encodeURIComponent(model)}:${action}`),
      );
      url.searchParams.set("key", key);
      return url;
    },
    headers: {},
    wrap: (body) => body,
    secrets: [key],
  };
}

export function oauthTarget(
  config: GenlangConfig,
  model: string,
  accessToken: string,
  project: string,
): Target {
  return {
    url: (action) => new URL(providerAddress(config.endpoints.genlang_internal_url).at(`:${action}`)),
    headers: { authorization: `Bearer ${accessToken}` },
    wrap: (request) => ({ model, project, user_prompt_id: randomUUID(), request }),
    secrets: [accessToken],
  };
}

const NO_SUCH_ACTION = new Set([404, 405, 501]);

/**
 * Sends a body and gives the opened answer; throws `NET_*`. A server without streaming is asked for
 * the whole answer.
 */
export interface Asker {
  send(target: Target, body: Body, model: string, timeoutMs: number, signal: AbortSignal): Promise<Opened>;
}

export function createAsker(upstream: Upstream): Asker {
  const wholeOnly = new Set<string>();

  const post = (
    target: Target,
    url: URL,
    body: Body,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Response> =>
    upstream.fetch({
      url: url.href,
      method: "POST",
      headers: { "content-type": "application/json", ...target.headers },
      // Bytes, since a text would be held beside its bytes for as long as the model thinks.
      body: Buffer.from(JSON.stringify(target.wrap(body))),
      signal,
      timeoutMs,
      connectTimeoutMs: 10_000,
    });

  return {
    async send(target, body, model, timeoutMs, signal) {
      const whole = target.url("generateContent");
      const place = `${whole.origin}${whole.pathname}`;
      if (!wholeOnly.has(place)) {
        const url = target.url("streamGenerateContent");
        url.searchParams.set("alt", "sse");
        const response = await post(target, url, body, timeoutMs, signal);
        if (!NO_SUCH_ACTION.has(response.status)) return opened(response, target, model);
        await response.text();
      }
      const response = await post(target, whole, body, timeoutMs, signal);
      if (response.status < 400) wholeOnly.add(place);
      return opened(response, target, model);
    },
  };
}

/** A wrong key is told as 400 by this vendor. */
export function meantStatus(status: number, body: string): number {
  return status === 400 && /API_KEY_INVALID|API key not valid/i.test(body) ? 401 : status;
}

async function opened(response: Response, { secrets }: Target, model: string): Promise<Opened> {
  if (response.status >= 200 && response.status < 300) return { ok: true, response, secrets };
  const body = await response.text();
  const status = meantStatus(response.status, body);
  // The wait stands in the body.
  const retryAfter = response.headers.get("retry-after") ?? /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1];
  return {
    ok: false,
    failure: answerFailure({ provider: NAME, model, status, body, retryAfter, secrets }),
    body,
  };
}
