import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { definePlugin, errors, Upstream, type NetRequest, type Plugin, type PluginHost } from "../index.ts";
import { responseOf } from "./fake-net.ts";
import { webResponse } from "../node/web-response.ts";

/** One request and its answer, as it stands in the file, without secrets. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly string[];
}

const HIDDEN = "***";
const secretName = /authorization|cookie|api[-_]?key|token|secret|password|signature|^key$|^code$/i;

/**
 * The network plugin given, with every request to Upstream and its answer kept in `file` (written
 * on dispose). Credentials in headers, queries and JSON bodies are replaced by `***`, and every one
 * of `secrets` wherever it stands.
 */
export function recordTraffic(network: Plugin, file: string, secrets: readonly string[] = []): Plugin {
  const kept: Exchange[] = [];
  const clean = cleaner(secrets);
  const recording = (real: Upstream): Upstream => ({
    webSocket: (url, headers, signal) => real.webSocket(url, headers, signal),
    connect: (host, port, signal, options) => real.connect(host, port, signal, options),
    async fetch(request) {
      const answer = await real.fetch(request);
      const pieces: string[] = [];
      const { method = "GET", url, headers = {} } = request;
      const { status } = answer;
      kept.push({
        method,
        url: clean.url(url),
        requestHeaders: clean.headers(headers),
        requestBody: clean.body(textOf(request)),
        status,
        headers: clean.headers(Object.fromEntries(answer.headers)),
        pieces,
      });
      return listening(answer, (piece) => pieces.push(clean.body(piece)));
    },
  });
  return Object.freeze({
    ...network,
    async setup(host: PluginHost<never>) {
      host.onDispose(async () => {
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, `${JSON.stringify(kept, undefined, 2)}\n`);
      });
      const provide: PluginHost["provide"] = (slot, value) =>
        host.provide(slot, slot.id === Upstream.id ? (recording(value as Upstream) as typeof value) : value);
      await network.setup(Object.freeze({ ...host, provide }));
    },
  });
}

/**
 * Answers from a file that {@link recordTraffic} wrote, each exchange once: to the same method and
 * address, with the same body if one was kept, else the next in the order of recording, since a
 * prompt may hold a date or a path.
 */
export function replayTraffic(file: string, secrets: readonly string[] = []): Plugin {
  const clean = cleaner(secrets);
  return definePlugin({
    name: "net-replay",
    provides: [Upstream],
    async setup(host) {
      const left = JSON.parse(await readFile(file, "utf8")) as Exchange[];
      host.provide(Upstream, {
        webSocket: async (url) => {
          throw errors.NET_REFUSED(
            URL.parse(url)?.host ?? "the address",
            "recorded traffic has no WebSockets",
          );
        },
        connect: async (host) => {
          throw errors.NET_REFUSED(host, "recorded traffic has no raw connections");
        },
        async fetch(request) {
          const { method = "GET", url } = request;
          const same = (known: Exchange): boolean => known.method === method && known.url === clean.url(url);
          const body = clean.body(textOf(request));
          const exact = left.findIndex((known) => same(known) && known.requestBody === body);
          const at = exact === -1 ? left.findIndex(same) : exact;
          const [found] = at === -1 ? [] : left.splice(at, 1);
          if (!found)
            throw errors.NET_REFUSED(
              URL.parse(url)?.host ?? "the address",
              `${file} holds no such ${method} any more: record it again`,
            );
          return responseOf({ status: found.status, headers: found.headers, pieces: found.pieces }, url);
        },
      });
    },
  });
}

function textOf({ body = "" }: NetRequest): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

function listening({ status, headers, url, body: given }: Response, keep: (piece: string) => void): Response {
  async function* body(): AsyncGenerator<Uint8Array> {
    const decoder = new TextDecoder();
    for await (const bytes of given ?? []) {
      keep(decoder.decode(bytes, { stream: true }));
      yield bytes;
    }
  }
  return webResponse({ status, headers: Object.fromEntries(headers), url, body: body() });
}

interface Cleaner {
  url(text: string): string;
  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  body(text: string): string;
}

function cleaner(secrets: readonly string[]): Cleaner {
  const known = secrets
    .filter((secret) => secret !== "")
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const all = (text: string): string =>
    known.reduce((clean, secret) => clean.replaceAll(secret, HIDDEN), text);
  return {
    url(text) {
      const url = URL.parse(text);
      if (!url) return all(text);
      if (url.password) url.password = HIDDEN;
      for (const name of new Set(url.searchParams.keys()))
        if (secretName.test(name)) url.searchParams.set(name, HIDDEN);
      return all(url.href);
    },
    headers: (headers) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name.toLowerCase(),
          secretName.test(name) ? HIDDEN : all(value),
        ]),
      ),
    body: (text) =>
      all(text)
        .replace(
          /("(?:[\w-]*(?:api_?key|access_token|refresh_token|id_token|client_secret|password|secret))"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
          `$1"${HIDDEN}"`,
        )
        .replace(/\b((?:refresh_token|client_secret|access_token|code|password)=)[^&\s"]+/gi, `$1${HIDDEN}`),
  };
}
