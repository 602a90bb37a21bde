import { existsSync } from "node:fs";
import { sessionSources, splitImages, userOf, type ValueLife } from "@gantry/sdk/fill";
import {
  Store,
  type ChatMessage,
  type InboundMessage,
  type Part,
  type Sources,
  type ToolCall,
} from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import { MaterialFiles } from "./material-files.ts";

/** The space of the store that keeps them, so that a restart forgets nothing. */
const { space } = sessionSources;
/** Conversations that are remembered where there is no store. */
const maxHeld = 1_000;
/** More than a person reads; the first ones say enough. */
const maxNamed = 20;

/** The time for which an empty conversation is known; after that its answers count as material. */
const knownMs = 30 * 86_400_000;

const none: Sources = Object.freeze({ material: Object.freeze([]), private: Object.freeze([]) });

/** Sources that cannot be read count as both, and are read again next time. */
const unread: Sources = Object.freeze({
  material: Object.freeze(["what the store could not tell"]),
  private: Object.freeze(["what the store could not tell"]),
});

/** Material from outside and private data that conversations took in, each by its source. */
export class SessionSources {
  readonly #registry: Registry;
  readonly #held = new Map<string, Sources>();
  readonly #files: MaterialFiles;
  #adding: Promise<unknown> = Promise.resolve();

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#files = new MaterialFiles(registry);
  }

  /** Reads them again each time, since another process may have gone on with the conversation. */
  async of(session: string): Promise<Sources> {
    try {
      const kept = await this.#kept(session);
      return kept ? merged(none, kept) : none;
    } catch {
      return unread;
    }
  }

  /** Resolves once it is on disk; one at a time, so that no call undoes what another has added. */
  add(session: string, more: Partial<Sources>): Promise<void> {
    if (countOf(merged(none, more)) === 0) return Promise.resolve();
    const added = this.#adding.then(async () => {
      const before = await this.of(session);
      const after = merged(before, more);
      if (countOf(after) !== countOf(before)) await this.#keep(session, after);
    });
    this.#adding = added.catch(() => undefined);
    return added;
  }

  /** Moves sources while `rename` gives the conversation another id, or drops them without one. */
  async move(from: string, to?: string, rename = async (): Promise<unknown> => undefined): Promise<void> {
    if (to !== undefined) await this.#keep(to, await this.of(from));
    await rename();
    this.#held.delete(from);
    await this.#registry.get(Store)?.values.remove(space, from);
  }

  /**
   * Adds what a message brings in. The owner's own words are neither, those of others and quotes
   * are material: a quote is mostly of what the conversation holds anyhow. What is passed on and
   * attached is both: it may be a stranger's page as well as the owner's letter.
   */
  async addMessage(session: string, message: InboundMessage): Promise<void> {
    const quoted = (message.quoted ?? []).length === 0 ? [] : ["quoted messages"];
    const others = message.trust === "owner" ? [] : [`messages of ${userOf(message)}`];
    const both = attachedIn([message]);
    await this.add(session, { material: [...others, ...quoted, ...both], private: both });
  }

  /**
   * Adds what a history of the caller's own brings in, as material and as private data: results of
   * tools and attachments always; answers if the conversation is unknown here, as when a client has
   * dropped its beginning. For a turn within another the one around it is known.
   */
  async addHistory(session: string, history: readonly ChatMessage[], isInner: boolean): Promise<void> {
    const has = (role: ChatMessage["role"]): boolean => history.some((message) => message.role === role);
    const results = has("tool") ? ["results of the caller's tools"] : [];
    const isKnown = isInner || (await this.#kept(session).catch(() => none)) !== undefined;
    const unknown = !isKnown && has("assistant") ? ["a history that is not known here"] : [];
    const both = [...results, ...attachedIn(history), ...unknown];
    await this.add(session, { material: both, private: both });
    if (!isKnown && both.length === 0) await this.#keep(session, none, { forMs: knownMs });
  }

  /** Adds what a call that is about to run will have brought in. */
  async addOf(call: ToolCall): Promise<void> {
    const { session, effects, tool, hints, source, network, cwd } = call;
    const { paths, commands, urls, brings, unknown } = effects;
    const isForeign = hints?.openWorld === true || source !== undefined || unknown === true;
    const written = paths.filter(({ access }) => access === "write").map(({ resolved }) => resolved);
    const read = paths.filter(({ access }) => access === "read").map(({ resolved }) => resolved);
    // Whatever changes a file may tell what stood there, in its result or in its error.
    const shown = [...read, ...written.filter((file) => existsSync(file))];
    const places = commands.length > 0 ? [...shown, cwd] : shown;
    const material = [
      ...urls.map(hostOf),
      ...(isForeign ? [`the tool ${tool}`] : []),
      ...(network === true ? ["what commands loaded"] : []),
      ...(brings?.material ?? []),
      ...(await this.#files.in(places)),
    ];
    const own = [...(places.length > 0 ? ["files of the workspace"] : []), ...(brings?.private ?? [])];
    await this.add(session, { material, private: own });
    await this.addWritten(session, written);
  }

  /** Files and folders that a conversation wrote hold the material that it holds. */
  async addWritten(session: string, written: unknown): Promise<void> {
    const { material } = Array.isArray(written) && written.length > 0 ? await this.of(session) : none;
    if (material.length > 0) await this.#files.note((written as unknown[]).map(String), material);
  }

  async #kept(session: string): Promise<Sources | undefined> {
    const store = this.#registry.get(Store);
    return store ? store.values.get<Sources>(space, session) : this.#held.get(session);
  }

  async #keep(session: string, sources: Sources, life: ValueLife = {}): Promise<void> {
    const store = this.#registry.get(Store);
    if (store) return store.values.put(space, session, sources, life);
    this.#held.set(session, sources);
    if (this.#held.size > maxHeld) this.#held.delete([...this.#held.keys()][0] as string);
  }
}

function attachedIn(messages: readonly Pick<InboundMessage, "parts">[]): readonly string[] {
  return messages.some(({ parts }) => parts.some(isAttached)) ? ["attached files"] : [];
}

/** A picture may also stand in the text, as `[IMAGE:data:…]`. */
function isAttached(part: Part): boolean {
  if (part.type !== "text") return true;
  return part.from !== undefined || splitImages(part.text).some(({ type }) => type === "image");
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
