import path from "node:path";
import { allOf, isWider } from "@gantry/sdk/fill";
import type { GantryError } from "@gantry/sdk";
import { expandHome, isInside, nearest } from "@gantry/sdk/node";
import type { AgentTable, Config } from "./config.ts";
import { errors } from "./errors.ts";
import { keyOf, type Route } from "./routes.ts";

/** In the form of `PromptOptions.agent`. */
const nameForm = /^[a-z][a-z0-9-]{0,31}$/;
/** The word of `/agent` for what the routes say. */
export const byRoutes = "default";

interface Known {
  /** The configured workspace. */
  readonly workspace: string;
  /** Names of `[people]`. */
  readonly people: readonly string[];
  /** Names of the channels that are loaded. */
  readonly channels: readonly string[];
}

/** Returns where an agent works, as an absolute path; undefined for all of the workspace. */
export function folderOf({ workspace: written }: AgentTable, workspace: string): string | undefined {
  return written === undefined ? undefined : path.resolve(workspace, expandHome(written));
}

/** Throws all that is wrong with the agents and the routes at once. */
export function checkTables(config: Config, routes: readonly Route[], known: Known): void {
  const agents = Object.entries(config.agents).flatMap((entry) => wrongAgent(entry, config, known));
  const names = Object.keys(config.agents);
  const error = allOf([...agents, ...routes.flatMap((route) => wrongRoute(route, routes, names, known))]);
  if (error) throw error;
}

function wrongAgent(
  [name, table]: readonly [string, AgentTable],
  { agent: { autonomy_level: most } }: Config,
  { workspace }: Known,
): readonly GantryError[] {
  const { autonomy_level: level = most } = table;
  const folder = folderOf(table, workspace) ?? workspace;
  return [
    ...(nameForm.test(name) && name !== byRoutes ? [] : [errors.AGENT_BAD_NAME(name)]),
    ...(isWider(level, most) ? [errors.AGENT_WIDER(name, level, most)] : []),
    ...(isInside(folder, workspace) ? [] : [errors.AGENT_OUTSIDE(name, folder, workspace)]),
  ];
}

function wrongRoute(
  route: Route,
  routes: readonly Route[],
  names: readonly string[],
  { people, channels }: Known,
): readonly GantryError[] {
  const { number, agent, channel, person, conversation } = route;
  const twin = routes.find((other) => other.number < number && keyOf(other) === keyOf(route));
  // Nobody knows all doors: only what is nearly the name of a channel is wrong for sure.
  const meant = channel === undefined || channels.includes(channel) ? undefined : nearest(channel, channels);
  return [
    ...(names.includes(agent) ? [] : [errors.ROUTE_NO_AGENT(number, agent, hint(agent, names))]),
    ...(person === undefined || people.includes(person)
      ? []
      : [errors.ROUTE_NO_PERSON(number, person, hint(person, people))]),
    ...(meant === undefined ? [] : [errors.ROUTE_NO_CHANNEL(number, channel, meant)]),
    ...(conversation !== undefined && channel === undefined ? [errors.ROUTE_NO_PLACE(number)] : []),
    ...(twin ? [errors.ROUTE_TWICE(twin.number, number)] : []),
  ];
}

/** Returns the nearest name as a question, else all there are. */
export function hint(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  if (meant !== undefined) return ` (did you mean \`${meant}\`?)`;
  return names.length === 0 ? "" : ` (there are ${names.map((one) => `\`${one}\``).join(", ")})`;
}
