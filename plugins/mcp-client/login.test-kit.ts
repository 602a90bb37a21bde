import path from "node:path";
import { Commands, type CommandContext, type Plugin } from "@gantry/sdk";
import { bundledPlugin, type TestHost } from "@gantry/sdk/testing";
import { startMcp } from "./mcp.test-kit.ts";

export const yes = { approvals: "yes" } as const;
const net = await bundledPlugin("net-undici");

/** A host that may reach these places, and has one server at this address. */
export function startFar(
  url: string,
  places: readonly string[],
  keys: Readonly<Record<string, unknown>> = {},
  configDir?: string,
  store?: Plugin,
): Promise<TestHost> {
  const security = { allowed_domains: ["127.0.0.1", "127.0.0.2"], allowed_private_addresses: places };
  return startMcp(
    { far: { url, ...keys } },
    {
      plugins: [net],
      config: { security },
      ...(configDir !== undefined && { configDir }),
      ...(store && { store }),
    },
  );
}

export const everywhere = ["127.0.0.1"];

export interface LoggedIn {
  readonly code: number;
  readonly lines: readonly string[];
  readonly address: URL;
}

/** Runs `mcp login far`; the browser goes where it is sent, or its last address is pasted. */
export async function login(
  t: TestHost,
  { paste = false, say = true }: { readonly paste?: boolean; readonly say?: boolean } = {},
): Promise<LoggedIn> {
  const lines: string[] = [];
  const shown = Promise.withResolvers<URL>();
  const input: CommandContext["input"] = {
    bytes: async function* () {},
    async *lines() {
      const { headers } = await fetch(await shown.promise, { redirect: "manual" });
      yield headers.get("location") ?? "";
    },
  };
  const run: CommandContext = {
    args: ["far"],
    options: { yes: say, paste },
    input,
    interactive: false,
    signal: new AbortController().signal,
    out: (line) => void lines.push(line),
    err(line) {
      lines.push(line);
      if (!line.startsWith("http://")) return;
      shown.resolve(new URL(line));
      if (!paste) void fetch(line);
    },
    serve: async () => 0,
  };
  const code = await t.slot(Commands).get("mcp login")!.run(run);
  shown.resolve(new URL("http://127.0.0.1"));
  return { code, lines, address: await shown.promise };
}

export const fileOf = (t: TestHost): string => path.join(t.configDir, "mcp-logins/far.json");
