import { GantryError, type Media, type ToolResult, type ToolRun } from "@gantry/sdk";
import { asError, printable } from "@gantry/sdk/node";
import type { CallToolResult, Client, GetPromptResult } from "@modelcontextprotocol/client";
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/client";
import { AcceptedFile, type Era } from "./accepted.ts";
import type { Connection, Ways } from "./connection.ts";
import { askPerson, type UnderWay } from "./elicit.ts";
import { errors } from "./errors.ts";
import type { Listed, ListedTool } from "./listed.ts";
import { LiveConnection } from "./live-connection.ts";
import { InstalledPackage } from "./package-folder.ts";
import { Pins, type PinsNeeds } from "./pins.ts";
import { resultOf, type Keeping } from "./results.ts";
import { serverFacts, type ServerFacts } from "./server-digest.ts";
import type { ServerSettings } from "./settings.ts";
import { toldError } from "./told-error.ts";

type Run = ToolRun<Readonly<Record<string, unknown>>>;

const LIST_MS = 30_000;
/** Between two looks at a list that its server keeps changing. */
const LOOK_MS = 500;
/** A turn waits no longer for a list that its server changes: the call compares it again. */
const PATIENCE_MS = 1_000;
/** A server may yet ask on behalf of a call that was stopped. */
const LATE_MS = 60_000;

export interface ServerNeeds extends Omit<Ways, "program">, PinsNeeds {
  readonly configDir: string;
  readonly media: Media | undefined;
  /** The signal of the plugin: what runs ends with it. */
  readonly signal: AbortSignal;
  /** A server that nobody called for so long is stopped. */
  readonly idleMs: number;
}

/** The items and facts that a server states of itself now. */
export interface Found extends Listed, ServerFacts {
  readonly era: Era;
}

/** One server for all conversations: the first call starts it, and it stops once nobody calls. */
export class McpServer {
  readonly settings: ServerSettings;
  readonly file: AcceptedFile;
  readonly #needs: ServerNeeds;
  readonly #pins: Pins;
  readonly #live: LiveConnection;
  readonly #installed: InstalledPackage;
  #startedAs: string | undefined;
  readonly #running = new Set<UnderWay>();
  #look: Promise<void> | undefined;
  #isWatching = false;
  #isStale = false;

  constructor(settings: ServerSettings, needs: ServerNeeds) {
    this.settings = settings;
    this.file = new AcceptedFile(needs.configDir, settings.name);
    this.#needs = needs;
    this.#installed = new InstalledPackage(needs.configDir, settings.name);
    this.#pins = new Pins(settings, this.file, needs);
    this.#live = new LiveConnection((era, ended) => this.#connect(era, ended), needs.idleMs);
  }

  get name(): string {
    return this.settings.name;
  }

  /** Asks the server for all that it has, whether it was accepted or not. Throws MCP_FAILED. */
  async find(): Promise<Found> {
    try {
      const facts = await this.#startable();
      return await this.#live.with(undefined, async ({ client, era }) => {
        const listed = await this.#listed(client);
        return { ...listed, era, ...facts };
      });
    } catch (error) {
      throw toldError(asError(error), this.name, "");
    }
  }

  /** Says whether a tool is what was accepted, once a list that changed by its word was checked. */
  async isAsAccepted(tool: string): Promise<boolean> {
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
    await Promise.race([this.#look, patience]);
    return !(await this.#pins.isChanged(tool));
  }

  /** Returns where what comes for a person is kept. */
  keeping(user: string): Keeping {
    return { media: this.#needs.media, user };
  }

  /** Runs one call, if server and tool are as accepted. Throws MCP_* and the signal's reason. */
  async call(tool: ListedTool, run: Run): Promise<ToolResult> {
    const { args, signal, trace, progress, user } = run;
    const result = await this.#accepted("tools", tool.name, run, (client) =>
      client.callTool(
        {
          name: tool.name,
          arguments: args,
          // The server can tell which turn its work belongs to.
          ...(trace !== undefined && { _meta: { traceparent: trace } }),
        },
        {
          signal,
          timeout: this.settings.timeoutMs,
          // Its schema of results is not held against them; headers are those that were accepted.
          toolDefinition: { name: tool.name, inputSchema: tool.inputSchema as { type: "object" } },
          onprogress: ({ progress: done, total, message: text }) =>
            progress?.({ done, ...(total !== undefined && { total }), ...(text !== undefined && { text }) }),
        },
      ),
    );
    return resultOf(result as CallToolResult, this.keeping(user));
  }

  /** Throws as {@link McpServer.call} does. */
  readResource(uri: string, run: Run): Promise<ReadResourceResult> {
    const { signal } = run;
    return this.#accepted("resources", uri, run, (client) =>
      client.request({ method: "resources/read", params: { uri } }, { signal }),
    );
  }

  /** Returns the first page. Throws as {@link McpServer.call} does. */
  async listResources(run: Run): Promise<readonly Resource[]> {
    const { signal } = run;
    const { resources } = await this.#accepted("resources", "", run, (client) =>
      client.request({ method: "resources/list", params: {} }, { signal }),
    );
    return resources;
  }

  /** Throws as {@link McpServer.call} does. */
  getPrompt(name: string, args: Readonly<Record<string, string>>): Promise<GetPromptResult> {
    const timeout = this.settings.timeoutMs;
    return this.#accepted("prompts", name, undefined, (client) =>
      client.getPrompt({ name, arguments: { ...args } }, { timeout }),
    );
  }

  async #accepted<Result>(
    kind: "tools" | "prompts" | "resources",
    name: string,
    run: Run | undefined,
    work: (client: Client) => Promise<Result>,
  ): Promise<Result> {
    // Nobody can be asked for a prompt, nor while one is fetched.
    const asking = run ?? {};
    try {
      const accepted = await this.#pins.accepted((await this.#startable()).server);
      return await this.#live.with(accepted.era, async ({ client }) => {
        // A list that changed without a word is seen before the call, not after it.
        const changed = await this.#pins.compare(accepted, await this.#listed(client));
        if (kind !== "resources" && changed[kind].includes(name))
          throw errors.MCP_CHANGED(printable(name, 64), this.name, this.name, this.name);
        this.#running.add(asking);
        return work(client);
      });
    } catch (error) {
      if (run?.signal.aborted) throw run.signal.reason;
      throw toldError(asError(error), this.name, name);
    } finally {
      this.#left(asking, run?.signal.aborted === true);
    }
  }

  /** Keeps a stopped call, which goes on at the server, lest it ask another person. */
  #left(asking: UnderWay, isStopped: boolean): void {
    if (!this.#running.delete(asking) || !isStopped) return;
    const late = {};
    this.#running.add(late);
    setTimeout(() => this.#running.delete(late), LATE_MS).unref();
  }

  async #listed(client: Client): Promise<Listed> {
    const { readListed } = await import("./listed.ts");
    return readListed(client, AbortSignal.timeout(LIST_MS));
  }

  /** Returns the facts of what a start would run; stops what was started as something else. */
  async #startable(): Promise<ServerFacts> {
    const facts = await this.#facts();
    if (this.#startedAs !== undefined && this.#startedAs !== facts.server) await this.#live.close();
    return facts;
  }

  async #facts(): Promise<ServerFacts> {
    return serverFacts(this.settings, await this.#installed.digest(this.#live.current !== undefined));
  }

  async #connect(era: Era | undefined, ended: () => void): Promise<Connection> {
    const listeners = {
      changed: () => this.#changed(),
      ended,
      // Only a fault that ends the server is told aloud, or it could fill the log.
      failed: (error: Error) =>
        this.#needs.log[error instanceof GantryError ? "warn" : "debug"](
          { server: this.name },
          printable(error.message, 300),
        ),
      ask: (params: Parameters<typeof askPerson>[1]) => askPerson(this.name, params, this.#running),
    };
    const ways = { ...this.#needs, program: await this.#installed.folder() };
    this.#startedAs = (await this.#facts()).server;
    // It takes a while to load, which only a conversation with a server is worth.
    const { connect } = await import("./connection.ts");
    return connect(this.settings, ways, listeners, era, this.#needs.signal);
  }

  #changed(): void {
    this.#isStale = true;
    if (!this.#isWatching) void this.#watch();
  }

  /** Looks at a list that the server says is another, twice a second at most. */
  async #watch(): Promise<void> {
    this.#isWatching = true;
    while (this.#isStale && !this.#needs.signal.aborted) {
      this.#isStale = false;
      this.#look = this.#lookNow();
      await this.#look;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());
    }
    this.#isWatching = false;
  }

  /** Looks at the server now; a failure is left to the next call, which tries again. */
  async #lookNow(): Promise<void> {
    try {
      const [connection, accepted] = [await this.#live.current, await this.file.read()];
      if (connection && accepted) await this.#pins.compare(accepted, await this.#listed(connection.client));
    } catch (error) {
      this.#needs.log.debug({ server: this.name }, `Its list was not read: ${asError(error).message}`);
    }
  }
}
