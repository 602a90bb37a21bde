import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Commands, ToolCatalog, type Plugin } from "@gantry/sdk";
import { bundledPlugin, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { onTestFinished } from "vitest";
import { mcpClient } from "./plugin.ts";

export const linux = process.platform === "linux";
export const serverFile = path.join(import.meta.dirname, "server.test-kit.js");

type Plugins = Parameters<typeof startTestHost>[0]["plugins"];

/** A folder that goes with the test. */
export function folder(): string {
  const at = mkdtempSync(path.join(tmpdir(), "gantry-mcp-"));
  onTestFinished(() => rmSync(at, { recursive: true, force: true }));
  return at;
}

/** A state file of the small server: what it lists from now on. */
export function stateFile(): { readonly file: string; list(tools: readonly unknown[]): void } {
  const file = path.join(folder(), "state.json");
  return { file, list: (tools) => writeFileSync(file, JSON.stringify({ tools })) };
}

/** The table of the small server. */
export function small(keys: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    command: process.execPath,
    args: [serverFile],
    read_paths: [process.execPath, serverFile],
    ...keys,
  };
}

/** The table of the small server, which lists what a file says. */
export function stated(file: string, keys: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const read_paths = [process.execPath, serverFile, path.dirname(file)];
  return small({ env: { SERVER_STATE: file }, read_paths, ...keys });
}

export interface McpHostOptions {
  readonly plugins?: Plugins;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly configDir?: string;
  readonly idleMs?: number;
  /** Default: one in memory. */
  readonly store?: Plugin;
}

/** A host with these servers, behind the real walls. */
export async function startMcp(
  servers: Readonly<Record<string, unknown>>,
  { plugins = [], config = {}, configDir, idleMs, store = memoryStore() }: McpHostOptions = {},
): Promise<TestHost> {
  const sandbox = await bundledPlugin("sandbox-landlock");
  return startTestHost({
    plugins: [mcpClient(idleMs === undefined ? {} : { idleMs }), sandbox, store, ...plugins],
    config: { ...config, mcp: { servers } },
    ...(configDir !== undefined && { configDir }),
  });
}

/** Runs one of the words `gantry mcp …` and returns its exit code and what it wrote. */
export async function word(
  t: TestHost,
  name: string,
  args: readonly string[],
  options: Readonly<Record<string, string | boolean | readonly string[]>> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [out, err]: string[][] = [[], []];
  const code = await t
    .slot(Commands)
    .get(`mcp ${name}`)!
    .run({
      args,
      options,
      out: (line) => void out!.push(line),
      err: (line) => void err!.push(line),
      interactive: false,
      signal: new AbortController().signal,
      serve: async () => 0,
    });
  return { code, out: out!.join("\n"), err: err!.join("\n") };
}

export const accept = (t: TestHost, name: string) => word(t, "accept", [name], { yes: true });

export const offered = async (t: TestHost): Promise<readonly string[]> =>
  (await t.slot(ToolCatalog).list()).map(({ name }) => name);
