import { watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { ChatCommand, Tool } from "@gantry/sdk";
import { acceptedFolder, type Accepted, type Changed } from "./accepted.ts";
import { errors } from "./errors.ts";
import { offerOf } from "./offered.ts";
import { promptWords } from "./prompts.ts";
import { McpServer, type ServerNeeds } from "./server.ts";
import type { ServerSettings } from "./settings.ts";

/** An item of a server that is left out, as an earlier server has one of its name. */
export interface Clash {
  readonly server: string;
  readonly kind: "tool" | "prompt";
  readonly name: string;
  /** The earlier server. */
  readonly first: string;
}

/** A server and what it says of itself. */
export interface Stated {
  readonly server: McpServer;
  readonly accepted: Accepted;
}

interface Each<Item> {
  readonly items: readonly Item[];
  readonly clashes: readonly Clash[];
}

type ItemsOf<Item> = (server: McpServer, accepted: Accepted, changed: Changed | undefined) => readonly Item[];

const toolsOf: ItemsOf<Tool> = (server, accepted, changed) => offerOf(server, accepted, changed).tools;

/** All servers of the configuration, and what of them is offered now. */
export class McpServers {
  readonly all: readonly McpServer[];
  readonly #needs: ServerNeeds;
  /** Clashes that were told. */
  readonly #clashes = new Set<string>();

  constructor(settings: readonly ServerSettings[], needs: ServerNeeds) {
    this.all = settings.map((one) => new McpServer(one, needs));
    this.#needs = needs;
  }

  /** Returns what was accepted and has not changed; no server is started to know it. */
  tools(): Promise<readonly Tool[]> {
    return this.#told(this.#each("tool", toolsOf));
  }

  words(): Promise<readonly ChatCommand[]> {
    return this.#told(this.#each("prompt", this.#wordsOf));
  }

  /** Returns what is left out for its name; `found` stands for what is accepted of its server. */
  async clashes(found?: Stated): Promise<readonly Clash[]> {
    const kinds = [this.#each("tool", toolsOf, found), this.#each("prompt", this.#wordsOf, found)];
    return (await Promise.all(kinds)).flatMap(({ clashes }) => clashes);
  }

  readonly #wordsOf: ItemsOf<ChatCommand> = (server, accepted, changed) =>
    promptWords(server, accepted, changed, this.#needs);

  /**
   * Goes through the items of all servers; if two have one name, the later server's is left out.
   */
  async #each<Item extends { readonly name: string }>(
    kind: Clash["kind"],
    itemsOf: ItemsOf<Item>,
    found?: Stated,
  ): Promise<Each<Item>> {
    const all = new Map<string, { readonly item: Item; readonly server: string }>();
    const clashes: Clash[] = [];
    for (const server of this.all) {
      const isFound = found?.server === server;
      const accepted = isFound
        ? found.accepted
        : await server.file.read().catch((error: Error) => this.#unread(error));
      if (!accepted) continue;
      const changed = isFound ? undefined : await server.file.changed(accepted);
      for (const item of itemsOf(server, accepted, changed)) {
        const { name } = item;
        const first = all.get(name);
        if (first) clashes.push({ server: server.name, kind, name, first: first.server });
        else all.set(name, { item, server: server.name });
      }
    }
    return { items: [...all.values()].map(({ item }) => item), clashes };
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

  /** Logs each clash once. */
  async #told<Item>(given: Promise<Each<Item>>): Promise<readonly Item[]> {
    const { items, clashes } = await given;
    for (const { server, kind, name, first } of clashes) {
      if (this.#clashes.has(`${kind} ${name}`)) continue;
      this.#clashes.add(`${kind} ${name}`);
      const { code, message } = errors.MCP_CLASH(server, kind, name, first);
      this.#needs.log.warn({ code, server }, message);
    }
    return items;
  }

  #unread(error: Error): undefined {
    this.#needs.log.warn({}, error.message);
  }
}
