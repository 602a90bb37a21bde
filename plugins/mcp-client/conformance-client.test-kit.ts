/** The program that the conformance suite starts: a host with one MCP server, all of whose tools are called. */
import { Approvals, Commands, ToolCatalog, ToolQuestions, type ToolInput, type TurnEvent } from "@gantry/sdk";
import { bundledPlugin, startTestHost } from "@gantry/sdk/testing";
import { mcpClient } from "./plugin.ts";

interface Context {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
}

const address = new URL(process.argv.at(-1) ?? "");
// Local names are refused to tools; an address is what the owner may except.
if (address.hostname === "localhost") address.hostname = "127.0.0.1";
const { toolCalls } = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;
const config = {
  security: { allowed_domains: ["127.0.0.1"], allowed_private_addresses: [address.host] },
  mcp: { servers: { suite: { url: address.href } } },
};
const bundled = await Promise.all(["net-undici", "ask-words"].map(bundledPlugin));

await using t = await startTestHost({ plugins: [mcpClient(), ...bundled], config });
const err = (line: string): void => void process.stderr.write(`${line}\n`);
const accepting = { args: ["suite"], options: { yes: true }, out: err, err, interactive: false };
const { signal } = new AbortController();
await t
  .slot(Commands)
  .get("mcp accept")!
  .run({ ...accepting, signal, serve: async () => 0 });

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
  const result = await t.call(name, args, { approvals: "ask", onEvent });
  err(`${name}: ${result.decision} ${result.text.slice(0, 200)}`);
}

/** What a schema does not take is refused before it is sent, so that a model leaves it out. */
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
