/**
 * The program that the conformance suite starts: a host with one MCP server, all of whose tools are
 * called.
 */
import {
  Approvals,
  Commands,
  type CommandContext,
  type CommandInput,
  ToolCatalog,
  ToolQuestions,
  type ToolInput,
  type TurnEvent,
} from "@gantry/sdk";
import { bundledPlugin, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { mcpClient } from "./plugin.ts";
import { suiteNet } from "./suite-net.test-kit.ts";

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
}

const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const isLogin = scenario.startsWith("auth/");
const address = new URL(process.argv.at(-1) ?? "");
// Local names are refused to tools; an address is what the owner may except. Logins hold names to
// be the same.
if (!isLogin && address.hostname === "localhost") address.hostname = "127.0.0.1";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;
const { toolCalls } = context;
// The suite's own metadata document, or the client that it has registered.
const {
  client_id = scenario === "auth/basic-cimd" && "https://conformance-test.local/client-metadata.json",
} = context;
const oauth = {
  ...(client_id && { oauth_client_id: client_id }),
  ...(context.client_secret !== undefined && { oauth_client_secret: context.client_secret }),
};
const config = {
  ...(!isLogin && {
    security: { allowed_domains: ["127.0.0.1"], allowed_private_addresses: [address.host] },
  }),
  mcp: { servers: { suite: { url: address.href, ...oauth } } },
};
const bundled = await Promise.all([...(isLogin ? [] : ["net-undici"]), "ask-words"].map(bundledPlugin));
if (isLogin) bundled.push(suiteNet);

await using t = await startTestHost({ plugins: [mcpClient(), memoryStore(), ...bundled], config });
const err = (line: string): void => void process.stderr.write(`${line}\n`);
const { signal } = new AbortController();

async function word(name: string, more: Partial<CommandContext> = {}): Promise<void> {
  const plain = { args: ["suite"], options: { yes: true }, out: err, err, interactive: false };
  const run = { ...plain, signal, serve: async () => 0, ...more };
  await t.slot(Commands).get(`mcp ${name}`)!.run(run);
}

/** Logs in as a person does whose browser ends at an address that they paste. */
async function login(): Promise<void> {
  const shown = Promise.withResolvers<string>();
  const tell = (line: string): void => (line.startsWith("http") ? shown.resolve(line) : err(line));
  const input: CommandInput = {
    bytes: async function* () {},
    async *lines() {
      const answer = await fetch(await shown.promise, { redirect: "manual" });
      yield answer.headers.get("location") ?? "";
    },
  };
  await word("login", { options: { yes: true, paste: true }, err: tell, input });
}

/** Does the work, and once more after each login that it wants, three times at most. */
async function loggedIn<T>(work: () => Promise<T>, wants: (found: unknown) => boolean): Promise<T> {
  for (let logins = 0; ; logins += 1) {
    const found = await work().catch((error: unknown) => ({ thrown: error }));
    const { thrown } = Object(found) as { readonly thrown?: unknown };
    if (logins < 3 && wants(thrown ?? found)) await login();
    else if (thrown !== undefined) throw thrown;
    else return found as T;
  }
}

const isLoginWanted = (found: unknown): boolean => {
  const { code, text } = Object(found) as { readonly code?: unknown; readonly text?: unknown };
  return /^MCP_LOGIN(?:_SCOPE|_ISSUER)?$/.test(String(code)) || /`gantry mcp login suite`/.test(String(text));
};

await loggedIn(() => word("accept"), isLoginWanted);

// The suite waits for as long as a client lives.
setTimeout(() => process.exit(1), 25_000).unref();

/** Somebody who allows each call, and takes what the server proposes. */
const onEvent = (event: TurnEvent): void => {
  if (event.type === "approval_request")
    void t.slot(Approvals).decide(event.request.id, "allow", { user: event.request.user });
  if (event.type !== "tool_question") return;
  const { id, user, form } = event.question;
  const given = Object.fromEntries(
    (form?.required ?? []).map((name) => [name, valueFor(form?.properties[name])]),
  );
  void t.slot(ToolQuestions).answer(id, given, { user });
};

const tools = (await t.slot(ToolCatalog).list()).filter(({ name }) => name !== "suite_resource");
const calls =
  toolCalls?.map(({ name, arguments: args }) => ({ name: `suite_${name}`, args: withoutNulls(args) })) ??
  tools.map(({ name, input }) => ({ name, args: valueFor(input) as Record<string, unknown> }));
for (const { name, args } of calls) {
  const call = () => t.call(name, args, { approvals: "ask", onEvent });
  const result = await loggedIn(call, isLoginWanted);
  err(`${name}: ${result.decision} ${result.text.slice(0, 200)}`);
}

/**
 * Returns the arguments without nulls: an argument that a schema does not take is refused before it
 * is sent, so a model leaves it out.
 */
function withoutNulls(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

/** A value that fits a plain schema. */
function valueFor(schema: unknown): unknown {
  const {
    type,
    enum: values,
    properties = {},
    required = [],
  } = Object(schema) as Partial<ToolInput> & {
    readonly enum?: readonly unknown[];
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  if (values) return values[0];
  const kind = String(type);
  if (kind === "object")
    return Object.fromEntries(required.map((name) => [name, valueFor(properties[name])]));
  return { number: 5, integer: 3, boolean: true, array: [] }[kind] ?? "text";
}
