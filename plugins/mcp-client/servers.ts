import { watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { ChatCommand, Tool } from "@gantry/sdk";
import { acceptedFolder, type Accepted, type Changed } from "./accepted.ts";
import { errors } from "./errors.ts";
import { offerOf } from "./offered.ts";
import { promptWords } from "./prompts.ts";
import { McpServer, type ServerNeeds } from "./server.ts";
import type { ServerSettings } from "./settings.ts";

/** All servers of the configuration, and what of them is offered now. */
export class McpServers {
  readonly all: readonly McpServer[];
  readonly #needs: ServerNeeds;
  /** Clashes that were told. */
  readonly #told = new Set<string>();

  constructor(settings: readonly ServerSettings[], needs: ServerNeeds) {
    this.all = settings.map((one) => new McpServer(one, needs));
    this.#needs = needs;
  }

  /** Returns what was accepted and has not changed; no server is started to know it. */
  tools(): Promise<readonly Tool[]> {
    return this.#each("tool", (server, accepted, changed) => offerOf(server, accepted, changed).tools);
  }

  words(): Promise<readonly ChatCommand[]> {
    return this.#each("prompt", (server, accepted, changed) =>
      promptWords(server, accepted, changed, this.#needs),
    );
  }

  /** Of two servers whose items have one name, the later's is left out, and that is told once. */
  async #each<Item extends { readonly name: string }>(
    kind: string,
    itemsOf: (server: McpServer, accepted: Accepted, changed: Changed | undefined) => readonly Item[],
  ): Promise<readonly Item[]> {
    const all = new Map<string, { readonly item: Item; readonly server: string }>();
    for (const server of this.all) {
      const accepted = await server.file.read().catch((error: Error) => this.#unread(error));
      if (!accepted) continue;
      for (const item of itemsOf(server, accepted, await server.file.changed(accepted))) {
        const first = all.get(item.name);
        if (first) this.#clash(kind, item.name, first.server, server.name);
        else all.set(item.name, { item, server: server.name });
      }
    }
    return [...all.values()].map(({ item }) => item);
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

  #clash(kind: string, name: string, first: string, later: string): void {
    if (this.#told.has(`${kind} ${name}`)) return;
    this.#told.add(`${kind} ${name}`);
    const { code, message } = errors.MCP_CLASH(later, kind, name, first);
    this.#needs.log.warn({ code, server: later }, message);
  }

  #unread(error: Error): undefined {
    this.#needs.log.warn({}, error.message);
  }
}
