import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import { errors, GantryError, refuse, type Net, type NetRequest } from "@gantry/sdk";
import { openTcp, placeOf } from "./connect.ts";
import { domainCheck } from "./domains.ts";
import { exchange, waitsOf } from "./exchange.ts";
import { netFailure, printable } from "./failure.ts";
import { clear, portOf, readUrl, type Cleared, type Rules } from "./policy.ts";
import { createTrust, speaksTls, type Trust } from "./trust.ts";

const MAX_REDIRECTS = 10;

/** The one way out for tools. */
export function createNet(rules: Rules, trust: Trust = createTrust()): Net {
  return {
    async check(address) {
      try {
        const url = readUrl(address);
        await clear(url.hostname, portOf(url), printable(address), rules);
        return undefined;
      } catch (error) {
        if (error instanceof GantryError) return refuse(error);
        throw error;
      }
    },

    async fetch(request) {
      const held = request.domains ? { ...rules, own: domainCheck(request.domains) } : rules;
      let next = request;
      for (let hops = 0; ; hops++) {
        const url = readUrl(next.url);
        const cleared = await inTime(clear(url.hostname, portOf(url), printable(url.href), held), next);
        if (speaksTls(url, undefined)) await trust();
        const answer = await exchangePinned(next, url, cleared);
        const to = redirect(answer);
        if (to === undefined || request.redirect === "manual") return answer;
        for await (const piece of answer.body ?? []) if (piece.byteLength > 65_536) break;
        if (hops === MAX_REDIRECTS)
          throw errors.NET_REFUSED(printable(request.url), `it redirected more than ${MAX_REDIRECTS} times`);
        next = redirected(next, url, to, answer.status);
      }
    },

    async connect(host, port, signal, domains) {
      const { shown } = placeOf(host, port);
      const own = domains ? { ...rules, domains: domainCheck(domains) } : rules;
      const cleared = await inTime(clear(host, port, shown, own), { url: shown, signal });
      const waits = { connectMs: 10_000, answerMs: 10_000 };
      return openTcp(cleared.host, port, signal, pinned(cleared)).catch((error: unknown) => {
        throw netFailure(error, shown, waits, signal);
      });
    },
  };
}

/** Connects to nothing but what was checked, whatever the name says by then. */
async function exchangePinned(request: NetRequest, url: URL, cleared: Cleared): Promise<Response> {
  const { default: Agent } = await import("undici/lib/dispatcher/agent.js");
  const agent = new Agent({
    allowH2: false,
    connect: { lookup: pinned(cleared), timeout: waitsOf(request).connectMs, autoSelectFamily: true },
  });
  return exchange(agent, request, url, () => void agent.destroy());
}

function pinned({ addresses }: Cleared): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const fit = all.filter(({ family }) => !options.family || family === options.family);
    const [first] = fit;
    if (!first) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
    else if (options.all) callback(null, fit);
    else callback(null, first.address, first.family);
  };
}

/** A name that nobody answers for must not hold a request longer than it may wait. */
async function inTime<T>(work: Promise<T>, request: NetRequest): Promise<T> {
  const { connectMs } = waitsOf(request);
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(
    () => reject(errors.NET_TIMEOUT(printable(request.url), connectMs / 1000)),
    connectMs,
  );
  const cancel = () => reject(errors.NET_CANCELLED(printable(request.url)));
  request.signal.addEventListener("abort", cancel, { once: true });
  try {
    if (request.signal.aborted) cancel();
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(late);
    request.signal.removeEventListener("abort", cancel);
  }
}

function redirect({ status, headers }: Response): string | undefined {
  return [301, 302, 303, 307, 308].includes(status) ? (headers.get("location") ?? undefined) : undefined;
}

/**
 * The request after a redirect, as browsers make it; what identifies the caller stays with the
 * origin it was meant for.
 */
function redirected(request: NetRequest, from: URL, location: string, status: number): NetRequest {
  const to = URL.parse(location, from.href);
  if (to === null) throw errors.NET_BAD_URL(printable(location));
  const method = (request.method ?? "GET").toUpperCase();
  const drops =
    method !== "GET" && method !== "HEAD" && (status === 303 || (status < 303 && method === "POST"));
  const kept = Object.entries(request.headers ?? {}).filter(([name]) => {
    const lower = name.toLowerCase();
    if (drops && lower.startsWith("content-")) return false;
    return (
      to.origin === from.origin ||
      !/^(authorization|proxy-authorization|cookie|x-api-key|x-auth-token|.*-token)$/.test(lower)
    );
  });
  const { body, ...rest } = request;
  return {
    ...rest,
    url: to.href,
    headers: Object.fromEntries(kept),
    ...(drops ? { method: "GET" } : body !== undefined && { body }),
  };
}
