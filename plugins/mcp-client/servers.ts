import { watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { ChatCommand, Tool } from "@gantry/sdk";
import { acceptedFolder } from "./accepted.ts";
import { offerOf } from "./offered.ts";
import { promptWords } from "./prompts.ts";
import { McpServer, type ServerNeeds } from "./server.ts";
import type { ServerSettings } from "./settings.ts";

/** All servers of the configuration, and what of them is offered now. */
export class McpServers {
  readonly all: readonly McpServer[];
  readonly #needs: ServerNeeds;

  constructor(settings: readonly ServerSettings[], needs: ServerNeeds) {
    this.all = settings.map((one) => new McpServer(one, needs));
    this.#needs = needs;
  }

  /** Returns what was accepted and has not changed; no server is started to know it. */
  async tools(): Promise<readonly Tool[]> {
    const byName = new Map<string, Tool>();
    for (const server of this.all) {
      const accepted = await server.file.read().catch((error: Error) => this.#unread(error));
      if (!accepted) continue;
      const { tools } = offerOf(server, accepted, await server.file.changed(accepted));
      for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
    }
    return [...byName.values()];
  }

  async words(): Promise<readonly ChatCommand[]> {
    const words: ChatCommand[] = [];
    for (const server of this.all) {
      const accepted = await server.file.read().catch((error: Error) => this.#unread(error));
      if (accepted) words.push(...promptWords(server, accepted, await server.file.changed(accepted)));
    }
    return words;
  }

  /** Tells whenever another process accepts something, until the plugin ends. */
  async watch(): Promise<void> {
    const folder = acceptedFolder(this.#needs.configDir);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { signal, onChange } = this.#needs;
    if (signal.aborted) return;
    const watching = watch(folder, { persistent: false, signal }, () => onChange());
    watching.on("error", (error) =>
      this.#needs.log.warn({}, `What is accepted of MCP servers is read at the next start: ${error.message}`),
    );
  }

  #unread(error: Error): undefined {
    this.#needs.log.warn({}, error.message);
  }
}
