import type { IncomingMessage, ServerResponse } from "node:http";
import type { Params } from "./bot-api-limits.test-kit.ts";

/** The parameters of a call, as JSON or as a form. */
export async function paramsOf(request: IncomingMessage, body: Buffer): Promise<Params> {
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("application/json"))
    return body.length === 0 ? {} : (JSON.parse(body.toString()) as Params);
  if (!type.startsWith("multipart/form-data")) return {};
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  return Object.fromEntries(form);
}

export function give(response: ServerResponse, result: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ok: true, result }));
}

export function refuse(
  response: ServerResponse,
  code: number,
  description: string,
  parameters?: object,
): void {
  const body = { ok: false, error_code: code, description, ...(parameters && { parameters }) };
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}
