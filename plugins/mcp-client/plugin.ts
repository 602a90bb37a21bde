import {
  ask,
  Audit,
  ChatCommands,
  Checks,
  Commands,
  ConfigFile,
  definePlugin,
  Media,
  Net,
  optional,
  ResultFilters,
  Routes,
  Runtime,
  Sandbox,
  Store,
  ToolSources,
  type ChatCommand,
  type Plugin,
} from "@gantry/sdk";
import { Loopback, Redactors } from "@gantry/sdk/fill";
import { acceptRoutes } from "../shared/accept-routes.ts";
import { mcpCommands } from "./commands.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import type { McpServers } from "./servers.ts";
import { ServerSecrets } from "./server-secrets.ts";
import { settingsFrom } from "./settings.ts";

const IDLE_MS = 600_000;

/** `idleMs`: a server that nobody called for so long is stopped. */
export function mcpClient({ idleMs = IDLE_MS }: { readonly idleMs?: number } = {}): Plugin {
  return definePlugin({
    name: "mcp-client",
    summary:
      "The tools of the MCP servers in [mcp.servers.<name>], each behind walls of its own, once accepted.",
    table: "",
    config,
    needs: {
      audit: Audit,
      configFile: ConfigFile,
      loopback: optional(Loopback),
      media: optional(Media),
      net: optional(Net),
      runtime: Runtime,
      sandbox: optional(Sandbox),
      store: Store,
    },
    provides: [ChatCommands, Checks, Commands, Redactors, ResultFilters, Routes, ToolSources],
    taps: ["beforeToolCall"],
    errors,
    setup(host) {
      const { configFile, loopback, runtime, ...needs } = host.needs;
      const settings = settingsFrom(host.config.mcp.servers);
      host.hooks.beforeToolCall.tap(({ source, tool }) =>
        source === "mcp" ? ask(errors.MCP_ASKS(tool)) : undefined,
      );

      const told = new Set<() => void>();
      const onChange = (): void => told.forEach((tell) => tell());
      const { version, configDir } = runtime;
      const { log, signal } = host;
      const secrets = new ServerSecrets();
      const remote = settings.filter((one) => one.kind === "http");
      for (const one of remote) secrets.addHeaders(one);
      if (remote.length > 0) {
        host.provide(ResultFilters, secrets);
        host.provide(Redactors, secrets);
      }
      const all = { ...needs, secrets, version, configDir, idleMs, log, signal, onChange };
      let made: Promise<McpServers> | undefined;
      const load = async (): Promise<McpServers> =>
        new (await import("./servers.ts")).McpServers(settings, all);
      const servers = (): Promise<McpServers> => (made ??= load());

      host.provide(ToolSources, {
        name: "mcp",
        tools: async () => (await servers()).tools(),
        onChange: (tell) => void told.add(tell),
      });
      const { audit, net, store } = needs;
      const forWords = { servers, audit, configDir, configFile, net, store, loopback };
      for (const command of mcpCommands(forWords)) host.provide(Commands, command);
      const desk = async () =>
        (await import("./servers-over-http.ts")).serverAcceptables(await servers(), audit);
      host.onServe(() => {
        for (const route of acceptRoutes("mcp-servers", "MCP servers", desk)) host.provide(Routes, route);
      });
      if (settings.length === 0) return;

      for (const kind of ["status", "ready"] as const)
        host.provide(Checks, {
          name: `mcp-servers-${kind}`,
          kind,
          run: async () => (await import("./checks.ts")).rowsOf(await servers(), kind),
        });
      const words: (() => void)[] = [];
      const offerWords = async (): Promise<void> => {
        const now = await (await servers()).words();
        for (const withdraw of words.splice(0)) withdraw();
        if (!signal.aborted) for (const word of now) offerWord(word);
      };
      const failed = (error: Error): void => log.warn({}, error.message);
      const offerWord = (word: ChatCommand): void => {
        try {
          words.push(host.provide(ChatCommands, word));
        } catch (error) {
          // Another plugin's word has that name, which stays.
          failed(error as Error);
        }
      };
      host.onReady(async () => {
        await offerWords();
        told.add(() => void offerWords().catch(failed));
        await (await servers()).watch();
      });
    },
  });
}
