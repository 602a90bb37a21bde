import { directMessage } from "@gantry/sdk";
import { laneOf } from "@gantry/sdk/fill";
import type { AgentList } from "./agent-list.ts";
import { errors } from "./errors.ts";
import { shownRoute, type Route } from "./routes.ts";

/** The findings of `route explain`, as `--json` prints them. */
export interface Explained {
  readonly user: string;
  readonly conversation: string;
  /** Null: the assistant without an agent. */
  readonly agent: string | null;
  /** Whom an owner chose for the conversation. */
  readonly chosen: string | null;
  /** The numbers of the routes that fit, the most specific first. */
  readonly fits: readonly number[];
}

/** Returns who answers `user`, as in `telegram:42`, and by which routes. Throws ROUTE_USER. */
export async function explain(
  agents: AgentList,
  user: string,
  given?: string,
): Promise<{ readonly explained: Explained; readonly routes: readonly Route[] }> {
  const [, channel, from] = /^([^\s:]+):(\S+)$/.exec(user) ?? [];
  if (channel === undefined || from === undefined) throw errors.ROUTE_USER(user);
  const [, id = from, thread] = /^(.+?)(?:#(.+))?$/s.exec(given ?? "") ?? [];
  const kind = id === from ? "direct" : "group";
  const conversation = { id, kind, ...(thread !== undefined && { thread }) } as const;
  const message = directMessage({ channel, id: "explain", from, text: "", trust: "owner", conversation });
  const session = laneOf(message);
  const routes = agents.routes(message);
  const chosen = (await agents.chosen(session)) ?? null;
  const agent = (await agents.of({ message, session }))?.name ?? null;
  const fits = routes.map(({ number }) => number);
  return { explained: { user, conversation: id, agent, chosen, fits }, routes };
}

/** Returns the same in sentences. */
export function linesOf({ user, agent, chosen }: Explained, routes: readonly Route[]): readonly string[] {
  const who = agent === null ? "the assistant without an agent" : `the agent ${agent}`;
  const [first] = routes;
  const why =
    chosen !== null
      ? "an owner chose it for this conversation with /agent"
      : first
        ? `route ${first.number} (${shownRoute(first)}) is the most specific that fits`
        : "no route fits";
  const others = routes.slice(chosen === null ? 1 : 0);
  return [
    `${user} is answered by ${who}: ${why}.`,
    ...others.map((route) => `Route ${route.number} (${shownRoute(route)}) fits, too.`),
  ];
}
