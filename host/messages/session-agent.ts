import { randomBytes } from "node:crypto";
import { laneOf } from "@gantry/sdk/fill";
import { Agents, Store, type Agent, type InboundMessage, type PromptOptions } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import type { Telling } from "../record/observers.ts";
import type { Rulings } from "../tools/rulings.ts";
import type { SessionSources } from "../tools/session-sources.ts";

/** The space of the store for a conversation's agent; nothing for the assistant without one. */
const space = "session-agent";

export interface LeaveDeps {
  readonly registry: Registry;
  readonly rulings: Rulings;
  readonly sources: SessionSources;
  readonly observers: Telling;
}

/** True if another agent has had the conversation, so that this one must read nothing of it. */
export async function isOthers(registry: Registry, session: string, agent?: Agent): Promise<boolean> {
  if (!registry.get(Agents)) return false;
  return (await registry.get(Store)?.values.get(space, session)) !== agent?.name;
}

/**
 * Begins a conversation of another agent again, or returns options with which a turn that keeps
 * nothing sees nothing of it.
 */
export async function ofAgent<T extends Pick<PromptOptions, "keep" | "history">>(
  deps: LeaveDeps,
  message: InboundMessage,
  session: string,
  options: T,
  agent?: Agent,
): Promise<T> {
  const { sessions, values } = deps.registry.get(Store) ?? {};
  if (!(await isOthers(deps.registry, session, agent))) return options;
  if (options.keep === false) return { history: [], ...options };
  const { owner = laneOf(message) } = (await sessions?.access(session)) ?? {};
  await leave(deps, session);
  await sessions?.open(session, owner);
  if (agent) await values?.put(space, session, agent.name);
  return options;
}

/** Gives what was said so far an id of its own and returns that; undefined if nothing was said. */
export async function leave(deps: LeaveDeps, session: string): Promise<string | undefined> {
  const { sessions, values } = deps.registry.get(Store) ?? {};
  deps.rulings.conversations.forget(session);
  if (!sessions || (await sessions.recent(session, 1)).length === 0) {
    // The next message belongs to whoever answers it.
    await values?.remove(space, session);
    await deps.sources.move(session, undefined, async () => sessions?.remove(session));
    deps.observers.tell("sessionEnded", { session, reason: "left" });
    return undefined;
  }
  const kept = `${session}.${randomBytes(4).toString("hex")}`;
  await move(deps, session, kept);
  for (const left of [session, kept]) deps.observers.tell("sessionEnded", { session: left, reason: "left" });
  return kept;
}

/** Gives a conversation another id, with all that belongs to it. Returns false if there is none. */
export async function move({ registry, sources }: LeaveDeps, from: string, to: string): Promise<boolean> {
  const { sessions, values } = registry.get(Store) ?? {};
  const agent = await values?.take(space, from);
  if (agent !== undefined) await values?.put(space, to, agent);
  let isThere = false;
  await sources.move(from, to, async () => {
    isThere = (await sessions?.rename(from, to)) === true;
  });
  return isThere;
}
