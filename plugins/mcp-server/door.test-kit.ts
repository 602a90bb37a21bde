import { randomUUID } from "node:crypto";
import { ask, definePlugin, Routes, type Plugin } from "@gantry/sdk";
import {
  callRoute,
  fakeProvider,
  memoryStore,
  type FakeProvider,
  type FakeScript,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ElicitRequest,
  type ElicitResult,
  type FetchLike,
} from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { startGateway, type TestGateway } from "../gateway-http/gateway.test-kit.ts";
import plugin from "./index.ts";

export type Era = "legacy" | "modern";
export const eras: readonly Era[] = ["legacy", "modern"];

export interface Door {
  readonly gateway: TestGateway;
  readonly url: string;
  readonly model: FakeProvider;
}

/** Asks about every call of these tools. */
export function asking(...tools: readonly string[]): Plugin {
  return definePlugin({
    name: "guard-asking",
    taps: ["beforeToolCall"],
    setup(host) {
      host.hooks.beforeToolCall.tap(({ tool }) =>
        tools.includes(tool) ? ask({ code: "ASKS", message: "May it?" }) : undefined,
      );
    },
  });
}

/** A gateway with the door that offers these tools, until the test is over. */
export async function openDoor(
  tools: readonly string[],
  plugins: readonly Plugin[],
  { script = ["hello"], ...rest }: { readonly script?: FakeScript } & Partial<TestHostOptions> = {},
): Promise<Door> {
  const model = fakeProvider(script);
  const gateway = await startGateway({
    ...rest,
    plugins: [memoryStore(), model, plugin, ...plugins],
    config: { mcp: { serve: { tools } }, ...rest.config },
    gateway: { requests_per_minute: 100_000 },
  });
  onTestFinished(() => gateway.stop());
  return { gateway, url: `${gateway.url}/mcp`, model };
}

export interface ClientOptions {
  readonly token?: string;
  /** Asks the route itself as this device: no sockets bound how many calls run at once. */
  readonly device?: string;
  /** Returns what the person at the client answers; without it the client puts no questions. */
  elicit?(params: ElicitRequest["params"]): Promise<ElicitResult> | ElicitResult;
}

/** The official client of one era, as a paired device of its own if no token is given. */
export async function connect(
  { gateway, url }: Door,
  era: Era,
  { token, device, elicit }: ClientOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: { ...(elicit && { elicitation: { form: {}, url: {} } }) },
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
    },
  );
  if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  const own = async (): Promise<string> =>
    token ?? (await gateway.pair(`device-${randomUUID().slice(0, 8)}`)).token;
  const options =
    device === undefined
      ? { requestInit: { headers: { authorization: `Bearer ${await own()}` } } }
      : { fetch: fetchFor(gateway, device) };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  onTestFinished(() => client.close());
  return client;
}

function fetchFor({ host }: TestGateway, device: string): FetchLike {
  return async (_, { method = "GET", headers, body } = {}) => {
    const given = Object.fromEntries(new Headers(headers));
    const route = host.slot(Routes).get(`${method} /mcp`)!;
    const bytes = new TextEncoder().encode(String(body ?? ""));
    const answer = await callRoute(route, { device, headers: given, body: bytes });
    const { status } = answer;
    return new Response(answer.text === "" ? null : answer.text, { status, headers: answer.headers });
  };
}

export function textOf(result: unknown): string {
  const { content } = result as CallToolResult;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

/** A token of these scopes. */
export async function tokenOf({ gateway }: Door, may: string): Promise<{ token: string; device_id: string }> {
  const code = (await gateway.word("pair new", [], { may })).out.trim();
  return (await gateway.ask("/pair", { body: { code } })).json;
}
