import { randomBytes } from "node:crypto";
import { GantryError, type CommandContext } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { auth, computeScopeUnion, type AuthOptions } from "@modelcontextprotocol/client";
import { askPerson } from "../shared/ask-person.ts";
import { errors } from "./errors.ts";
import { LoginFile } from "./login-file.ts";
import { loginFetch } from "./login-fetch.ts";
import { RefreshedLogins } from "./refreshed-logins.ts";
import { LoginProvider, NOWHERE } from "./login-provider.ts";
import type { McpServer } from "./server.ts";
import type { RemoteSettings } from "./settings.ts";
import type { WordsNeeds } from "./words-needs.ts";

const PATH = "/callback";
const TIME_MS = 5 * 60_000;

/**
 * `gantry mcp login NAME`: an authorization code with PKCE. Throws MCP_LOGIN_*, and what a request
 * throws.
 */
export async function login(
  run: CommandContext,
  needs: WordsNeeds,
  server: McpServer,
  settings: RemoteSettings,
): Promise<number> {
  const { name } = settings;
  const file = new LoginFile(needs.configDir, settings);
  if (!(await isWanted(server, file))) {
    run.err(`${name} wants no login beside what it has.`);
    return 0;
  }
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(TIME_MS)]);
  await loginAt(run, needs, settings, file, signal);
  run.err(`Logged in to ${name}.`);
  return 0;
}

/** Uses the server as it is. Throws what fails for another reason. */
async function isWanted(server: McpServer, file: LoginFile): Promise<boolean> {
  if ((await file.read()).wanted !== undefined) return true;
  return server.find().then(
    () => false,
    (error: unknown) => {
      if (error instanceof GantryError && /^MCP_LOGIN(?:_ISSUER)?$/.test(error.code)) return true;
      throw error;
    },
  );
}

async function loginAt(
  run: CommandContext,
  needs: WordsNeeds,
  settings: RemoteSettings,
  file: LoginFile,
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
    const show = (address: string, scopes: readonly string[]): void =>
      showAddress(run, name, address, scopes, isPasted);
    const { hosts: known, challenge = {}, wanted } = await file.read();
    const hosts = [...known];
    const allow = async (where: string): Promise<void> => {
      const question = `${name} has its login at ${printable(where, 200)}: go there?`;
      if (!(await askPerson(run, question))) throw errors.MCP_LOGIN_HOST(name, printable(where, 200));
    };
    const allowHost = async (host: string): Promise<void> => {
      await allow(host);
      hosts.push(host);
    };
    const visitor = { redirectUri, state, show, allow, allowHost, hosts: () => hosts };
    const provider = new LoginProvider(settings, file, visitor);
    const fetchFn = loginFetch(net, settings, () => hosts, allowHost, signal);
    const scope = computeScopeUnion(wanted, challenge.scope);
    const options: AuthOptions = {
      serverUrl,
      fetchFn,
      ...(challenge.metadata !== undefined && { resourceMetadataUrl: new URL(challenge.metadata) }),
      ...(scope !== undefined && { scope }),
    };
    await auth(provider, { ...options, forceReauthorization: true });
    const query = visit ? await visit.wait() : await pasted(run, signal);
    const code = codeIn(query, name, isOurs);
    await new RefreshedLogins(needs.store).alone(name, signal, () => auth(provider, { ...options, ...code }));
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

function showAddress(
  run: CommandContext,
  name: string,
  address: string,
  scopes: readonly string[],
  isPasted: boolean,
): void {
  if (scopes.length > 0) run.err(`${name} asks for scopes that it did not have: ${scopes.join(" ")}`);
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
