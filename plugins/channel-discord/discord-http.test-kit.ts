import type { IncomingMessage, ServerResponse } from "node:http";
import type { Params, Refused } from "./discord-limits.test-kit.ts";

/** The body of a call, as JSON or as a form with files. */
export async function contentOf(
  request: IncomingMessage,
): Promise<{ readonly body: Params; readonly files: readonly File[] }> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const bytes = Buffer.concat(pieces);
  const type = request.headers["content-type"] ?? "";
  if (bytes.length === 0) return { body: {}, files: [] };
  if (!type.startsWith("multipart/form-data"))
    return { body: JSON.parse(String(bytes)) as Params, files: [] };
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const files = [...form].flatMap(([name, value]) =>
    name.startsWith("files[") && value instanceof File ? [value] : [],
  );
  return { body: JSON.parse(String(form.get("payload_json") ?? "{}")) as Params, files };
}

export function give(response: ServerResponse, result: unknown, headers: Record<string, string> = {}): void {
  if (result === undefined) return void response.writeHead(204, headers).end();
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(result));
}

export function refuse(
  response: ServerResponse,
  { status, code, message }: Refused,
  more: Params = {},
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ message, code, ...more }));
}
