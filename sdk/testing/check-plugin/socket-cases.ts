import { GantryError, type RouteReply, type RouteSocket } from "../../index.ts";
import { messageOf, within } from "../say.ts";
import { kindOf } from "./answered.ts";

export type SocketReply = Extract<RouteReply, { webSocket: unknown }>;

/** Says what is wrong with a reply of a WebSocket apart from its headers, as in "answered %s". */
export function wrongUpgrade({ status, webSocket }: Record<string, unknown>): string | undefined {
  if (status !== 101) return `a WebSocket with status ${JSON.stringify(status)}`;
  return typeof webSocket === "function" ? undefined : `${kindOf(webSocket)} as a WebSocket`;
}

/** Messages that no route can make sense of, and then a client that leaves. */
async function* strange(leave: () => void): AsyncGenerator<string | Uint8Array> {
  yield "{";
  yield "";
  yield new Uint8Array([0xff, 0x00]);
  leave();
}

/**
 * Names the fault of a route's WebSocket whose client sends strange messages and leaves; undefined
 * if it is right.
 */
export async function wrongWebSocket(
  { webSocket }: SocketReply,
  stop: AbortController,
  patienceMs: number,
): Promise<string | undefined> {
  const silence = setTimeout(() => stop.abort(), patienceMs / 2);
  const messages = strange(() => stop.abort());
  const socket: RouteSocket = { messages, send: async () => {} };
  const late = new Error("late");
  try {
    const end = await within(patienceMs, late, () => webSocket(socket));
    const isCode = end === undefined || end.code === 1000 || (end.code >= 3000 && end.code <= 4999);
    return isCode
      ? undefined
      : `ended a WebSocket with ${JSON.stringify(end.code)}, which is no code of its own`;
  } catch (error) {
    if (error === late) return `did not end a WebSocket whose client had left in ${patienceMs} ms`;
    // Whoever left is told nothing any more.
    if (stop.signal.aborted || error instanceof GantryError) return undefined;
    return `threw without a code at a strange message (${messageOf(error)})`;
  } finally {
    clearTimeout(silence);
  }
}
