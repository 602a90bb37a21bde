import { signal } from "@preact/signals";
import { asFailure, Failure, isUnreachable } from "./failure.ts";
import { texts } from "./texts.ts";

export interface Account {
  readonly token: string;
  readonly device: string;
  readonly may: readonly string[];
}

const place = "gantry.account";

/** All scopes: a token with each of them is the owner's. */
export const scopes = ["talk", "read", "decide", "manage"];

/** Undefined while this browser is not paired. */
export const account = signal<Account | undefined>(kept());
/** Said where the browser has to be paired. */
export const notice = signal("");
/** True while requests find nobody. */
export const isLost = signal(false);

function kept(): Account | undefined {
  try {
    return accountIn(sessionStorage) ?? accountIn(localStorage);
  } catch {
    return undefined;
  }
}

function accountIn(kept: Storage): Account | undefined {
  const text = kept.getItem(place);
  return text === null ? undefined : (JSON.parse(text) as Account);
}

/** Forgets the token of this tab; another one that this browser remembers stays. */
function forget(why: string): void {
  for (const kept of [sessionStorage, localStorage])
    if (accountIn(kept)?.token === account.value?.token) kept.removeItem(place);
  notice.value = why;
  account.value = undefined;
}

/** Trades a code for a token, which this tab keeps, or with `remember` this browser. */
export async function pair(code: string, remember: boolean): Promise<void> {
  const body = { code: code.trim(), device_name: deviceName() };
  const given = await answerOf(await send("POST", "/pair", body));
  const { token, device_id: device, may } = given as { token: string; device_id: string; may: string[] };
  (remember ? localStorage : sessionStorage).setItem(place, JSON.stringify({ token, device, may }));
  notice.value = "";
  account.value = { token, device, may };
}

/** Lets this browser in where the service asks nobody for a token. */
export async function enterUnpaired(): Promise<void> {
  const { require_pairing } = await ask<{ require_pairing: boolean }>("GET", "/health").catch(() => ({
    require_pairing: true,
  }));
  if (!require_pairing) account.value = { token: "", device: "local", may: scopes };
}

/** Ends the token, and forgets it here even if the service does not answer. */
export async function signOut(): Promise<void> {
  const ended = account.value?.token ? ask("POST", "/api/sign-out") : Promise.resolve();
  const why = await ended.then(
    () => texts.pair.signedOut,
    (error: unknown) => texts.pair.signedOutHere((error as Error).message),
  );
  forget(why);
}

/** A cheap route of each scope. */
const cheap: Readonly<Record<string, string>> = {
  talk: "/api/turns",
  decide: "/api/approvals",
  manage: "/api/config/reload",
  read: "/api/alerts",
};

/** Asks anything at all, so that a token that has ended is told on every page. */
export async function checkToken(): Promise<void> {
  const path = cheap[account.value?.may[0] ?? ""];
  if (path !== undefined) await ask("GET", path).catch(() => {});
}

function deviceName(): string {
  const [, browser = "Browser"] = /(Firefox|Edg|Chrome|Safari)\//.exec(navigator.userAgent) ?? [];
  const [, system = ""] = /\((?:X11; )?([A-Za-z]+)/.exec(navigator.userAgent) ?? [];
  return `${browser}${system === "" ? "" : ` on ${system.trim()}`}`.slice(0, 64);
}

const againMs = 500;
const mostTries = 40;

/**
 * Asks a route and returns its JSON, also if the service starts again meanwhile: what it refuses as
 * it stops has not been done. Throws {@link Failure}.
 */
export async function ask<T>(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<T> {
  let isStopping = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return (await answerOf(await send(method, path, body))) as T;
    } catch (error) {
      isStopping ||= asFailure(error).code === "GATEWAY_STOPPING";
      if (!isStopping || !isUnreachable(error) || tries === mostTries) throw error;
      await pause(againMs);
    }
  }
}

/** Sends bytes as they are. */
export async function upload<T>(path: string, file: Blob): Promise<T> {
  return (await answerOf(await send("POST", path, file))) as T;
}

export async function bytesOf(path: string): Promise<Blob> {
  const reply = await send("GET", path);
  if (!reply.ok) await answerOf(reply);
  return reply.blob();
}

/**
 * Hands on the events of a stream until it ends. Throws {@link Failure} where it does not begin, or
 * breaks off.
 */
export async function events(
  path: string,
  take: (event: string, data: Record<string, unknown>) => void,
  until: AbortSignal,
): Promise<void> {
  const reply = await send("GET", path, undefined, until);
  if (!reply.ok || !reply.body) return void (await answerOf(reply));
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done || value === undefined) return;
      const frames = (rest + value).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const data = fieldOf(frame, "data");
        if (data !== undefined)
          take(fieldOf(frame, "event") ?? "", JSON.parse(data) as Record<string, unknown>);
      }
    }
  } finally {
    // A handler that threw would leave the connection open, and a browser has few of them.
    await reader.cancel().catch(() => {});
  }
}

/** Returns a field of a frame. `\n` alone ends a line, so a text may hold any other ending. */
function fieldOf(frame: string, name: string): string | undefined {
  const line = frame.split("\n").find((one) => one.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}

async function send(method: string, path: string, body?: unknown, until?: AbortSignal): Promise<Response> {
  const token = account.value?.token;
  const isFile = body instanceof Blob;
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && {
      "content-type": isFile ? body.type || "application/octet-stream" : "application/json",
    }),
  };
  const given = { method, headers, credentials: "omit", cache: "no-store" } as const;
  try {
    const reply = await window.fetch(path, {
      ...given,
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
      ...(until && { signal: until }),
    });
    isLost.value = false;
    if (reply.status === 401 && token !== undefined && token === account.value?.token)
      forget(texts.pair.expired);
    return reply;
  } catch {
    if (!until?.aborted) lose();
    throw new Failure(0, "UNREACHABLE", texts.unreachable);
  }
}

const lookMs = 2_000;

/** Tells that nobody answers, and looks until somebody does. */
function lose(): void {
  if (isLost.value) return;
  isLost.value = true;
  const look = async (): Promise<void> => {
    const reply = await window.fetch("/health", { cache: "no-store" }).catch(() => undefined);
    if (reply) isLost.value = false;
    else if (isLost.value) setTimeout(() => void look(), lookMs);
  };
  setTimeout(() => void look(), lookMs);
}

// A stream that is open may not notice it for minutes.
window.addEventListener("offline", lose);

async function answerOf(reply: Response): Promise<unknown> {
  const body = (await reply.json().catch(() => ({}))) as { error?: { code: string; message: string } };
  if (reply.ok) return body;
  const { code = "FAILED", message = texts.status(reply.status) } = body.error ?? {};
  throw new Failure(reply.status, code, message);
}

/** Waits, or less where `until` is aborted. */
export function pause(ms: number, until?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    until?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
