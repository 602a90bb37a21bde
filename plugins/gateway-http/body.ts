import type { IncomingMessage, ServerResponse } from "node:http";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { wrongBody } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** Bytes of unfinished bodies that are held for all clients together. */
const maxInFlight = 32 * 1024 * 1024;
const json = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });
let inFlight = 0;

const continues = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Notes that the client sends its body once it hears `100 Continue`, which {@link readBody} says.
 */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  continues.set(request, response);
}

/**
 * Returns true if the client still waits to be told to send its body: a body and whatever else it
 * sends next could not be told apart.
 */
export function isContinueHeld(request: IncomingMessage): boolean {
  return continues.has(request);
}

/**
 * Collects a body. Fails with GATEWAY_BODY_TOO_LARGE as soon as it is known to be, GATEWAY_BUSY if
 * too many come at once.
 */
export function readBody(
  stream: IncomingMessage,
  limit: number,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  if (Number(stream.headers["content-length"] ?? 0) > limit)
    return done(errors.GATEWAY_BODY_TOO_LARGE(limit));
  continues.get(stream)?.writeContinue();
  continues.delete(stream);
  const pieces: Buffer[] = [];
  let bytes = 0;
  const finish = (error: Error | null): void => {
    inFlight -= bytes;
    bytes = 0;
    stream.off("data", take).off("end", end).off("error", fail);
    if (!error) return done(null, pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
    stream.resume();
    done(error);
  };
  const take = (piece: Buffer): void => {
    bytes += piece.length;
    inFlight += piece.length;
    pieces.push(piece);
    if (bytes > limit) finish(errors.GATEWAY_BODY_TOO_LARGE(limit));
    else if (inFlight > maxInFlight) finish(errors.GATEWAY_BUSY());
  };
  const end = (): void => finish(null);
  const fail = (): void => finish(errors.GATEWAY_BAD_REQUEST());
  stream.on("data", take).on("end", end).on("error", fail);
}

/** Parses and checks a JSON body. Throws GATEWAY_BODY_TYPE and GATEWAY_BAD_BODY. */
export function parseBody(raw: Uint8Array, contentType: string | undefined, schema: TSchema): unknown {
  if (!json.test(contentType ?? "")) throw errors.GATEWAY_BODY_TYPE();
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(raw));
  } catch {
    throw errors.GATEWAY_BAD_BODY("it is not JSON in UTF-8");
  }
  const wrong = wrongBody(schema, body, Value.Check(schema, body) ? [] : Value.Errors(schema, body));
  if (wrong !== undefined) throw errors.GATEWAY_BAD_BODY(wrong);
  return body;
}
