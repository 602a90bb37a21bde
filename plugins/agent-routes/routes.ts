import type { InboundMessage, People } from "@gantry/sdk";
import { userOf } from "@gantry/sdk/fill";
import type { RouteTable } from "./config.ts";

/** The facts of a message that the routes are matched with. */
type Asked = Pick<InboundMessage, "channel" | "sender" | "conversation" | "caller">;

/** A route as it stands in the file, counted from 1. */
export interface Route {
  readonly number: number;
  readonly written: RouteTable;
  readonly agent: string;
  readonly channel: string | undefined;
  /** An id at the channel. */
  readonly sender: string | undefined;
  /** A name of `[people]`. */
  readonly person: string | undefined;
  readonly conversation: string | undefined;
}

/** Returns the routes with every person as an id at a channel or as a name of `[people]`. */
export function readRoutes(tables: readonly RouteTable[]): readonly Route[] {
  return tables.map((written, at) => {
    const { agent, person, conversation } = written;
    const [, door, id] = /^([^:]+):(.+)$/s.exec(String(person ?? "")) ?? [];
    const isId = written.channel !== undefined && person !== undefined;
    return {
      number: at + 1,
      written,
      agent,
      channel: written.channel ?? door,
      sender: isId ? String(person) : id,
      person: isId || id !== undefined || person === undefined ? undefined : String(person),
      conversation: conversation === undefined ? undefined : String(conversation),
    };
  });
}

/** Returns the routes that fit, the most specific first. */
export function fitting(routes: readonly Route[], asked: Asked, people: People): readonly Route[] {
  return routes.filter((route) => fits(route, asked, people)).toSorted((a, b) => weight(b) - weight(a));
}

function fits(route: Route, asked: Asked, people: People): boolean {
  const { channel, sender, person, conversation } = route;
  if (channel !== undefined && channel !== asked.channel) return false;
  if (conversation !== undefined && !isIn(conversation, asked)) return false;
  if (sender === undefined && person === undefined) return true;
  // A group's words are everybody's, so no person's route tears it apart.
  if (asked.conversation.kind === "group" && conversation === undefined) return false;
  if (sender !== undefined) return sender === asked.sender.id;
  const { caller } = asked;
  return people.decider?.({ user: userOf(asked), ...(caller && { caller }) })?.name === person;
}

function isIn(written: string, { conversation: { id, thread } }: Asked): boolean {
  return written === id || (thread !== undefined && written === `${id}#${thread}`);
}

/** Returns how specific a route is: thread, conversation, person, channel, the first the most. */
function weight({ channel, sender, person, conversation }: Route): number {
  const place = conversation === undefined ? 0 : conversation.includes("#") ? 16 : 8;
  const who = sender !== undefined ? 4 : person !== undefined ? 3 : 0;
  return place + who + (channel === undefined ? 0 : 1);
}

/** Returns what of a route decides whom it fits, to compare by. */
export function keyOf({ channel, sender, person, conversation }: Route): string {
  return JSON.stringify([channel, sender, person, conversation]);
}

/** Returns the keys of a route as they are written, as in `channel = "telegram"`. */
export function shownRoute({ written }: Route): string {
  const keys = Object.entries(written).filter(([key]) => key !== "agent");
  const shown = keys.map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return shown.length === 0 ? "fits everything" : shown.join(", ");
}
