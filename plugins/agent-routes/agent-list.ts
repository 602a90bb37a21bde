import { realpathSync } from "node:fs";
import path from "node:path";
import type { Agent, Agents, GantryError, InboundMessage, People, Values } from "@gantry/sdk";
import type { AgentAsked } from "@gantry/sdk/fill";
import { isInside, makeDir } from "@gantry/sdk/node";
import { folderOf } from "./check.ts";
import type { AgentTable, Config } from "./config.ts";
import { errors } from "./errors.ts";
import { fitting, type Route } from "./routes.ts";

/** The space of the store for the agent that an owner chose for a conversation. */
const space = "session-agent-chosen";

export interface AgentDeps {
  readonly config: Config;
  readonly routes: readonly Route[];
  readonly people: People;
  readonly values: () => Values | undefined;
  /** The configured workspace. */
  readonly workspace: string;
}

/** The agents of `[agents]`, and who of them answers whom by `[[routes]]`. */
export class AgentList implements Agents {
  readonly #deps: AgentDeps;
  readonly #agents: ReadonlyMap<string, Agent>;

  constructor(deps: AgentDeps) {
    this.#deps = deps;
    const { agents } = deps.config;
    this.#agents = new Map(
      Object.entries(agents).map(([name, table]) => [name, agentOf(name, table, deps.workspace)]),
    );
  }

  list(): readonly Agent[] {
    return [...this.#agents.values()];
  }

  /** Returns the routes that fit a message, the most specific first. */
  routes(message: Pick<InboundMessage, "channel" | "sender" | "conversation" | "caller">): readonly Route[] {
    return fitting(this.#deps.routes, message, this.#deps.people);
  }

  /**
   * Returns whom the caller names, else whom an owner chose for the conversation, else whom the
   * routes name. Anybody but an owner is answered by the agent that the routes give them, whomever
   * their program names. Throws AGENT_GONE and AGENT_NOT_HERE.
   */
  async of({ message, session, named = "" }: AgentAsked): Promise<Agent | undefined> {
    const routed = this.routes(message)[0]?.agent;
    const wanted = this.#agents.get(named);
    if (wanted && routed !== undefined && routed !== named && message.trust !== "owner")
      throw errors.AGENT_NOT_HERE(named, routed);
    if (wanted) return wanted;
    const chosen = await this.chosen(session);
    const found = this.#agents.get(chosen ?? routed ?? "");
    if (chosen !== undefined && !found) throw errors.AGENT_GONE(chosen);
    return found;
  }

  /** Returns whom an owner chose for a conversation. */
  async chosen(session: string): Promise<string | undefined> {
    return this.#deps.values()?.get<string>(space, session);
  }

  /** Gives a conversation to an agent; undefined: to whom the routes name. */
  async choose(session: string, name: string | undefined): Promise<void> {
    if (name === undefined) await this.#deps.values()?.remove(space, session);
    else await this.#deps.values()?.put(space, session, name);
  }

  /** Makes the folders that agents work in. */
  makeFolders(): void {
    for (const { name, workspace: folder } of this.list())
      if (folder !== undefined) makeFolder(name, folder, this.#deps.workspace);
  }
}

function agentOf(name: string, table: AgentTable, workspace: string): Agent {
  const { instructions: _, autonomy_level: autonomy, budget, ...same } = table;
  const folder = folderOf(table, workspace);
  return Object.freeze({
    name,
    ...same,
    ...(autonomy !== undefined && { autonomy }),
    ...(budget !== undefined && { budget: { tokens: budget } }),
    ...(folder !== undefined && { workspace: folder }),
  });
}

/** Throws AGENT_FOLDER, also if a link of the workspace leads out of it. */
function makeFolder(name: string, folder: string, workspace: string): void {
  try {
    if (!isInside(realOf(folder), workspace)) throw new Error("a link on the way leads out of the workspace");
    makeDir(folder);
  } catch (error) {
    const { code, message } = error as GantryError;
    throw errors.AGENT_FOLDER(name, code ?? message, folder);
  }
}

/** Returns the real path of the deepest folder on the way that is there. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return realOf(path.dirname(folder));
  }
}
