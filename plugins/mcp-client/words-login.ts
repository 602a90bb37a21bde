import { randomBytes } from "node:crypto";
import type { CommandContext } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type AuthOptions,
} from "@modelcontextprotocol/client";
import { askPerson } from "../shared/ask-person.ts";
import { errors } from "./errors.ts";
import { LoginFile } from "./login-file.ts";
import { loginFetch } from "./login-fetch.ts";
import { LoginProvider, NOWHERE } from "./login-provider.ts";
import { netFetch } from "./net-fetch.ts";
import type { RemoteSettings } from "./settings.ts";
import type { WordsNeeds } from "./words-needs.ts";

const PATH = "/callback";
const TIME_MS = 5 * 60_000;

/** `gantry mcp login NAME`: an authorization code with PKCE. Throws MCP_LOGIN_*, MCP_NO_NET, and what a request throws. */
export async function login(
  run: CommandContext,
  needs: WordsNeeds,
  settings: RemoteSettings,
): Promise<number> {
  const { name } = settings;
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(TIME_MS)]);
  const challenge = await challengeOf(settings, needs, signal);
  if (!challenge) {
    run.err(`${name} asks for no login.`);
    return 0;
  }
  const file = new LoginFile(needs.configDir, name);
  await loginAt(run, needs, settings, file, challenge, signal);
  run.err(`Logged in to ${name}.`);
  return 0;
}

type Challenge = Pick<AuthOptions, "resourceMetadataUrl" | "scope">;

/** Asks the server without a login, and returns how it refuses; undefined if it does not. */
async function challengeOf(
  settings: RemoteSettings,
  { net }: WordsNeeds,
  signal: AbortSignal,
): Promise<Challenge | undefined> {
  if (!net) throw errors.MCP_NO_NET();
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "gantry", version: "1" },
  };
  const response = await netFetch(
    net,
    settings,
    signal,
  )(settings.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  });
  await response.body?.cancel();
  if (response.status !== 401) return undefined;
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}

async function loginAt(
  run: CommandContext,
  needs: WordsNeeds,
  settings: RemoteSettings,
  file: LoginFile,
  challenge: Challenge,
  signal: AbortSignal,
): Promise<void> {
  const { name, url: serverUrl } = settings;
  const state = randomBytes(24).toString("base64url");
  // Without our state it is somebody else's visit, and ends nothing.
  const isOurs = (query: URLSearchParams): boolean => query.get("state") === state;
  const { loopback, net } = needs;
  if (!net) throw errors.MCP_NO_NET();
  const isPasted = run.options["paste"] === true || !loopback;
  const visit = isPasted ? undefined : await loopback.receiveOnce(PATH, isOurs, signal);
  try {
    const redirectUri = visit?.redirectUri ?? NOWHERE;
    const show = (address: string): void => showAddress(run, name, address, isPasted);
    const provider = new LoginProvider(settings, file, { redirectUri, state, show, hosts: () => hosts });
    const logins = await file.read();
    const hosts = [...logins.hosts];
    const allow = async (host: string): Promise<void> => {
      const question = `${name} has its login at ${printable(host, 200)}: go there?`;
      if (!(await askPerson(run, question))) throw errors.MCP_LOGIN_HOST(name, printable(host, 200));
      hosts.push(host);
    };
    const fetchFn = loginFetch(net, settings, () => hosts, allow, signal);
    const scope =
      logins.wanted === undefined ? challenge.scope : computeScopeUnion(logins.wanted, challenge.scope);
    const options: AuthOptions = { serverUrl, fetchFn, ...challenge, ...(scope !== undefined && { scope }) };
    await auth(provider, { ...options, forceReauthorization: true });
    const query = visit ? await visit.wait() : await pasted(run, signal);
    const code = codeIn(query, name, isOurs);
    await file.alone(signal, () => auth(provider, { ...options, ...code }));
  } catch (error) {
    throw signal.aborted && !run.signal.aborted
      ? errors.MCP_LOGIN_FAILED(name, "nobody came back in 5 minutes")
      : error;
  } finally {
    await visit?.close();
  }
}

/** Throws MCP_LOGIN_FAILED for an answer that is not ours, or that is a no. */
function codeIn(
  query: URLSearchParams,
  name: string,
  isOurs: (query: URLSearchParams) => boolean,
): Pick<AuthOptions, "authorizationCode" | "iss"> {
  const [code, iss, error] = ["code", "iss", "error"].map((key) => query.get(key));
  if (!isOurs(query)) throw errors.MCP_LOGIN_FAILED(name, "the answer belongs to another login");
  if (code === null || code === undefined)
    throw errors.MCP_LOGIN_FAILED(name, printable(error ?? "the answer has no code", 200));
  return { authorizationCode: code, ...(typeof iss === "string" && { iss }) };
}

function showAddress(run: CommandContext, name: string, address: string, isPasted: boolean): void {
  run.err(`Open this address to log in to ${name}:`);
  run.err(address);
  if (isPasted) run.err("Then paste the address that the browser ends at, also if it shows no page:");
}

/** Returns the query of a pasted address. */
async function pasted({ input }: CommandContext, signal: AbortSignal): Promise<URLSearchParams> {
  for await (const line of input?.lines({ signal }) ?? []) {
    const text = line.trim();
    if (text !== "") return URL.parse(text)?.searchParams ?? new URLSearchParams(text.replace(/^\?/, ""));
  }
  return new URLSearchParams();
}
