import type { Socket } from "node:net";
import { STATUS_CODES, type ServerResponse } from "node:http";
import type { GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { failure } from "./status.ts";

/** Answers what never became a request, and closes. */
export function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // Where an answer is under way, as node:http itself looks it up, another one would be read as a part of it.
  const { _httpMessage: current } = socket as { readonly _httpMessage?: ServerResponse | null };
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable || current?.headersSent)
    return void socket.destroy();
  const { status, body } = failure(reason(error.code));
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n`;
  socket.end(
    `${head}Content-Length: ${Buffer.byteLength(text)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${text}`,
  );
  socket.destroySoon();
}

function reason(code: string | undefined): GantryError {
  if (code === "HPE_HEADER_OVERFLOW") return errors.GATEWAY_HEADERS_TOO_LARGE();
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? errors.GATEWAY_TIMEOUT() : errors.GATEWAY_BAD_REQUEST();
}
