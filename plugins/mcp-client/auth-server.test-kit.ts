import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { listen, type HttpServer } from "./http-server.test-kit.ts";

export interface AuthServer extends HttpServer {
  readonly issuer: string;
  /** Access tokens that count. */
  readonly valid: Set<string>;
  /** The forms that came to the token endpoint. */
  readonly asked: readonly URLSearchParams[];
}

export interface AuthServerOptions {
  /** The `iss` that its answers carry, if not its own. */
  readonly iss?: string;
  /** The client that it knows; without it any client registers. */
  readonly client?: { readonly id: string; readonly secret: string };
  /** The page on which it says that people log in, if not `/authorize` of its own. */
  readonly page?: string;
}

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

/** An authorization server that logs everybody in at once, and holds codes to their PKCE. */
export async function authServer({ iss, client, page }: AuthServerOptions = {}): Promise<AuthServer> {
  const codes = new Map<string, string>();
  const refreshes = new Set<string>();
  const valid = new Set<string>();
  const asked: URLSearchParams[] = [];
  const server = await listen(({ body }, response, request) => {
    const { pathname, searchParams } = new URL(request.url ?? "", issuer());
    if (pathname.startsWith("/.well-known/")) return json(response, 200, metadata(issuer(), client, page));
    if (pathname === "/register")
      return json(response, 201, { ...(JSON.parse(body) as object), client_id: randomUUID() });
    if (pathname === "/authorize") {
      const code = randomUUID();
      codes.set(code, searchParams.get("code_challenge") ?? "");
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      const answer = { code, state: searchParams.get("state") ?? "", iss: iss ?? issuer() };
      for (const [key, value] of Object.entries(answer)) back.searchParams.set(key, value);
      return response.writeHead(302, { location: back.href }).end();
    }
    const form = new URLSearchParams(body);
    asked.push(form);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood =
      codes.get(form.get("code") ?? "") === challenge || refreshes.delete(form.get("refresh_token") ?? "");
    codes.delete(form.get("code") ?? "");
    if (!isGood) return json(response, 400, { error: "invalid_grant" });
    const [access_token, refresh_token] = [`CANARY-access-${randomUUID()}`, `CANARY-refresh-${randomUUID()}`];
    valid.add(access_token);
    refreshes.add(refresh_token);
    return json(response, 200, { access_token, refresh_token, token_type: "Bearer", expires_in: 3_600 });
  });
  function issuer(): string {
    return `http://${server.place}`;
  }
  return Object.assign(server, { issuer: issuer(), valid, asked });
}

function metadata(issuer: string, client: AuthServerOptions["client"], page?: string): object {
  return {
    issuer,
    authorization_endpoint: page ?? `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: client ? ["client_secret_post"] : ["none"],
    ...(!client && { registration_endpoint: `${issuer}/register` }),
  };
}

export interface Guarded extends HttpServer {
  /** The place of its logins; another one from the next request on. */
  at: { readonly issuer: string; readonly valid: ReadonlySet<string> };
  /** The address at which it says that its metadata is. */
  metadata: string;
  /** True if its tool answers with the headers of the request. */
  echoes?: boolean;
  /** The address to which it sends everybody, if any. */
  moved?: string;
  /** The scopes that a call lacks, if any. */
  lacks?: string;
}

/** An MCP server with one tool, for those who are logged in where it says. */
export async function guardedServer(at: Guarded["at"]): Promise<Guarded> {
  const listed: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "guarded", version: "1" },
    },
    "tools/list": { tools: [{ name: "hum", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "hummed" }] },
  };
  const server: HttpServer = await listen(({ method, headers, body }, response, request) => {
    if (request.url?.startsWith("/.well-known/oauth-protected-resource"))
      return json(response, 200, { resource: server.url, authorization_servers: [guarded.at.issuer] });
    if (guarded.moved !== undefined) return response.writeHead(307, { location: guarded.moved }).end();
    if (method !== "POST") return response.writeHead(405).end();
    const token = headers.authorization?.replace(/^Bearer /, "") ?? "";
    if (!guarded.at.valid.has(token)) {
      const challenge = `Bearer resource_metadata="${guarded.metadata}"`;
      return response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    const { id, method: asked } = JSON.parse(body) as { readonly id?: number; readonly method: string };
    if (id === undefined) return response.writeHead(202).end();
    if (asked === "tools/call" && guarded.lacks !== undefined) {
      const challenge = `Bearer error="insufficient_scope", scope="${guarded.lacks}"`;
      return response.writeHead(403, { "www-authenticate": challenge }).end();
    }
    const echo = { content: [{ type: "text", text: JSON.stringify(headers) }] };
    const result = asked === "tools/call" && guarded.echoes === true ? echo : listed[asked];
    const error = { code: -32_601, message: "Unknown." };
    return json(response, 200, { jsonrpc: "2.0", id, ...(result ? { result } : { error }) });
  });
  const metadataAt = `http://${server.place}/.well-known/oauth-protected-resource/mcp`;
  const guarded: Guarded = Object.assign(server, { at, metadata: metadataAt });
  return guarded;
}
