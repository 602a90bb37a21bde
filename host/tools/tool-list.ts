import { scopes, type ToolFacts } from "@gantry/sdk/fill";
import {
  Tools,
  ToolSources,
  type Logger,
  type Scope,
  type Tool,
  type ToolCatalog,
  type ToolSource,
  type ToolSpec,
} from "@gantry/sdk";
import { asError, withTimeout } from "@gantry/sdk/node";
import { runAs } from "../plugins/attribution.ts";
import { errors } from "./errors.ts";
import type { Registry } from "../plugins/registry.ts";

type Scopes = readonly Scope[];

const listMs = 10_000;
/** A source that failed is left alone for so long. */
const againMs = 10_000;

/** The tools that a source listed; a failure is kept a while, so not every turn waits for it. */
interface Listed {
  readonly tools: Promise<readonly Tool[]>;
  until: number;
}

/** A turn's tools by name and its scopes, each undefined for all, and the command that began it. */
export interface HadTools {
  readonly only?: readonly string[] | undefined;
  readonly has?: Scopes | undefined;
  readonly command?: string | undefined;
}

/** All tools that there are now: those of plugins, and those of sources, asked on first use. */
export class ToolList implements ToolCatalog {
  readonly #registry: Registry;
  readonly #log: Logger;
  readonly #mayOffer: () => boolean;
  readonly #had: () => HadTools;
  readonly #listed = new WeakMap<ToolSource, Listed>();
  readonly #watched = new WeakSet<ToolSource>();

  /** `mayOffer`: true if any tool may be offered now; `had`: the tools that the asker may have. */
  constructor(registry: Registry, log: Logger, mayOffer: () => boolean, had: () => HadTools) {
    this.#registry = registry;
    this.#log = log;
    this.#mayOffer = mayOffer;
    this.#had = had;
  }

  async all(): Promise<ReadonlyMap<string, Tool>> {
    const all = new Map(this.#registry.get(Tools) ?? []);
    const sources = [...(this.#registry.get(ToolSources)?.values() ?? [])];
    const lists = await Promise.all(sources.map((source) => this.#toolsOf(source)));
    for (const tool of lists.flat()) if (!all.has(tool.name)) all.set(tool.name, tool);
    return all;
  }

  async list(): Promise<readonly ToolFacts[]> {
    const tools = await this.#offered(this.#had());
    return tools.map(({ name, description, input, hints, source, deferred, atTerminal }) => ({
      name,
      description,
      input,
      ...(hints && { hints: { ...hints } }),
      ...(source !== undefined && { source }),
      ...(deferred === true && { deferred }),
      ...(atTerminal !== undefined && { atTerminal }),
    }));
  }

  /** Returns what the model is sent, by name, so that every request lists it alike. */
  async offered(had: HadTools): Promise<readonly ToolSpec[]> {
    const tools = await this.#offered(had);
    const isStoodFor = tools.some(({ standsFor }) => standsFor);
    const sent = isStoodFor ? tools.filter(({ deferred }) => deferred !== true) : tools;
    return sent.map(({ name, description, input }) => ({ name, description, input }));
  }

  async #offered({ only, has = scopes, command }: HadTools): Promise<readonly Tool[]> {
    if (!this.#mayOffer()) return [];
    const all = [...(await this.all()).values()]
      .filter(({ name, may = "talk" }) => (only?.includes(name) ?? true) && has.includes(may))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const isOffered = await Promise.all(all.map((tool) => isOfferedNow(tool, command)));
    return all.filter((_, i) => isOffered[i]);
  }

  #toolsOf(source: ToolSource): Promise<readonly Tool[]> {
    const known = this.#listed.get(source);
    if (known && Date.now() < known.until) return known.tools;
    if (!this.#watched.has(source)) {
      this.#watched.add(source);
      source.onChange?.(() => void this.#listed.delete(source));
    }
    const listed: Listed = {
      tools: this.#ask(source, () => (listed.until = Date.now() + againMs)),
      until: Infinity,
    };
    this.#listed.set(source, listed);
    return listed.tools;
  }

  /** Never rejects: a source that fails has no tools. */
  async #ask(source: ToolSource, failed: () => void): Promise<readonly Tool[]> {
    const limit = AbortSignal.timeout(listMs);
    const late = (): Error => new Error(`it took more than ${listMs / 1_000} s`);
    try {
      const asked = runAs(`tool source ${source.name}`, async () => source.tools(limit));
      const tools: readonly Tool[] = await withTimeout(listMs, asked, late);
      return tools.filter((tool) => this.#isUsable(source, tool)).map((tool) => ofSource(source, tool));
    } catch (error) {
      failed();
      const { code, message } = errors.TOOL_SOURCE_FAILED(source.name, asError(error));
      this.#log.warn({ code, source: source.name }, message);
      return [];
    }
  }

  #isUsable(source: ToolSource, tool: Tool): boolean {
    const wrong = Tools.check?.(tool);
    const isTaken = this.#registry.get(Tools)?.has(tool.name) === true;
    if (!wrong && !isTaken) return true;
    const { code, message } = errors.TOOL_SOURCE_TOOL(
      source.name,
      tool.name,
      wrong ?? "has a name that is taken",
    );
    this.#log.warn({ code, source: source.name, tool: tool.name }, message);
    return false;
  }
}

/** A tool that fails to say so is not offered. */
export async function isOfferedNow(tool: Tool, command: string | undefined): Promise<boolean> {
  try {
    return (await tool.offered?.(command)) ?? true;
  } catch {
    return false;
  }
}

/** Fills in unknown effects: a tool from outside is not harmless because it says nothing. */
function ofSource({ name }: ToolSource, tool: Tool): Tool {
  const { effects = () => "unknown" as const, source = name } = tool;
  return Object.freeze({
    ...tool,
    source,
    effects: (args: unknown, context) => effects.call(tool, args, context),
    run: (run) => tool.run(run),
  } satisfies Tool);
}
