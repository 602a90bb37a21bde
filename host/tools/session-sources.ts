import { Store, textOf, userOf, type InboundMessage, type Sources, type ToolCall } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";

/** Where the store keeps them, so that a restart forgets nothing. */
const space = "session-sources";
/** Conversations that are held in memory beside the store. */
const maxHeld = 1_000;
/** More than a person reads; the first ones say enough. */
const maxNamed = 20;

const none: Sources = Object.freeze({ material: Object.freeze([]), private: Object.freeze([]) });

/** What cannot be read counts as both, and is read again next time. */
const unread: Sources = Object.freeze({
  material: Object.freeze(["what the store could not tell"]),
  private: Object.freeze(["what the store could not tell"]),
});

/** What each conversation has taken in: material from outside and private data, each by its source. */
export class SessionSources {
  readonly #registry: Registry;
  readonly #held = new Map<string, Sources>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async of(session: string): Promise<Sources> {
    const held = this.#held.get(session);
    if (held) return held;
    try {
      const kept = await this.#registry.get(Store)?.values.get<Sources>(space, session);
      return this.#hold(session, kept ? merged(none, kept) : none);
    } catch {
      return unread;
    }
  }

  /** Resolves once it is on disk. Nothing is ever taken off the list. */
  async add(session: string, more: Partial<Sources>): Promise<void> {
    const before = await this.of(session);
    const after = merged(before, more);
    if (countOf(after) === countOf(before)) return;
    this.#hold(session, after);
    await this.#registry.get(Store)?.values.put(space, session, after);
  }

  /** What a message brings in: the owner's own words are neither. */
  async addMessage(session: string, message: InboundMessage): Promise<void> {
    const quoted = textOf(message.quoted ?? []) === "" ? [] : ["quoted messages"];
    const others = message.trust === "owner" ? [] : [`messages of ${userOf(message)}`];
    await this.add(session, { material: [...others, ...quoted] });
  }

  /** What a call that is about to run will have brought in. */
  async addOf(call: ToolCall): Promise<void> {
    const { session, effects, tool, hints, source, network } = call;
    const { paths, commands, urls, brings, unknown } = effects;
    const isForeign = hints?.openWorld === true || source !== undefined || unknown === true;
    const material = [
      ...urls.map(hostOf),
      ...(isForeign ? [`the tool ${tool}`] : []),
      ...(network === true ? ["what commands loaded"] : []),
      ...(brings?.material ?? []),
    ];
    const reads = commands.length > 0 || paths.some(({ access }) => access === "read");
    const own = [...(reads ? ["files of the workspace"] : []), ...(brings?.private ?? [])];
    await this.add(session, { material, private: own });
  }

  #hold(session: string, sources: Sources): Sources {
    this.#held.delete(session);
    this.#held.set(session, sources);
    if (this.#held.size > maxHeld) this.#held.delete([...this.#held.keys()][0] as string);
    return sources;
  }
}

function both(one: readonly string[], other: readonly string[] = []): readonly string[] {
  return Object.freeze([...new Set([...one, ...other])].slice(0, maxNamed));
}

function merged(one: Sources, other: Partial<Sources>): Sources {
  return Object.freeze({
    material: both(one.material, other.material),
    private: both(one.private, other.private),
  });
}

function countOf({ material, private: own }: Sources): number {
  return material.length + own.length;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "an address";
}
