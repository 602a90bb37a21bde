import { errors, textOf, type ChatMessage } from "../../index.ts";
import { turnsToShow, type SessionPage, type Sessions, type SessionSummary } from "../../fill.ts";
import type { ValueSpaces } from "../../node/process-values.ts";
import type { Hold } from "./rows.ts";

interface Kept {
  turns: (readonly ChatMessage[])[];
  updated: string;
  view: { generation: number; through: number; base: readonly ChatMessage[] };
  owner: string | undefined;
  readonly sharedWith: Set<string>;
}
export type SessionMap = Map<string, Kept>;

export function append(
  sessions: SessionMap,
  session: string,
  turn: readonly ChatMessage[],
  owner?: string,
): void {
  if (turn.length === 0) return;
  const known = kept(sessions, session);
  known.turns.push(structuredClone(turn));
  known.updated = new Date().toISOString();
  known.owner ??= owner;
  sessions.delete(session);
  sessions.set(session, known);
}

function kept(sessions: SessionMap, session: string): Kept {
  return (
    sessions.get(session) ?? {
      turns: [],
      updated: "",
      owner: undefined,
      sharedWith: new Set(),
      view: { generation: 0, through: 0, base: [] },
    }
  );
}

/** Removes the values that go with a conversation. */
export function forgetValues(values: ValueSpaces, session: string): void {
  for (const [space, kept] of values) if (space.startsWith("session-")) kept.delete(session);
}

export function sessionsIn(
  sessions: SessionMap,
  held: ReadonlyMap<string, Hold>,
  values: ValueSpaces,
): Sessions {
  return {
    access: async (session) => {
      const known = sessions.get(session);
      return known && { owner: known.owner, sharedWith: [...known.sharedWith] };
    },
    open: async (session, user) => {
      const known = kept(sessions, session);
      known.owner ??= user;
      sessions.set(session, known);
      return known.owner;
    },
    share: async (session, user) => sessions.get(session)?.sharedWith.add(user) !== undefined,
    unshare: async (session, user) => sessions.get(session)?.sharedWith.delete(user) === true,
    append: async (session, turn, lease) => {
      if (lease && held.get(lease.lane)?.token !== lease.token) throw errors.LEASE_LOST(lease.lane);
      append(sessions, session, turn);
    },
    view: async (session, most) => {
      const { turns, view } = kept(sessions, session);
      const after = turns.slice(view.through);
      const shown = after.slice(after.length - turnsToShow(after.length, most));
      return structuredClone({ generation: view.generation, base: view.base, turns: shown });
    },
    compact: async (session, generation, base) => {
      const known = kept(sessions, session);
      if (known.view.generation !== generation) return false;
      known.view = {
        generation: generation + 1,
        through: known.turns.length,
        base: structuredClone(base),
      };
      sessions.set(session, known);
      return true;
    },
    rewind: async (session) => {
      const known = sessions.get(session);
      if (!known || known.turns.length <= known.view.through) return false;
      known.turns.pop();
      return true;
    },
    rename: async (session, to) => {
      const known = sessions.get(session);
      if (!known || sessions.has(to)) return false;
      sessions.delete(session);
      sessions.set(to, known);
      return true;
    },
    recent: async (session, turns) =>
      structuredClone(turns > 0 ? (sessions.get(session)?.turns ?? []).slice(-turns).flat() : []),
    list: async (limit) =>
      [...sessions]
        .filter(([, { turns }]) => turns.length > 0)
        .map(([id, { turns, updated, owner }]) => ({
          id,
          turns: turns.length,
          updated,
          ...(owner !== undefined && { owner }),
        }))
        .toReversed()
        .slice(0, limit),
    remove: async (session) => {
      if ((sessions.get(session)?.turns.length ?? 0) > 0) forgetValues(values, session);
      return sessions.delete(session);
    },
    page: async (want) => pageOf(sessions, want),
  };
}

function pageOf(
  sessions: SessionMap,
  { limit, after, owner, search = "" }: SessionPage,
): readonly SessionSummary[] {
  return [...sessions]
    .filter(
      ([id, kept]) =>
        kept.turns.length > 0 && (owner === undefined || kept.owner === owner) && has(id, kept, search),
    )
    .map(([id, kept]) => summaryOf(id, kept))
    .filter((one) => after === undefined || isBehind(one, after))
    .toSorted((a, b) => (isBehind(a, b) ? 1 : -1))
    .slice(0, limit);
}

function has(id: string, { owner = "", turns }: Kept, search: string): boolean {
  const words = turns.flat().map(({ parts }) => textOf(parts));
  return [id, owner, ...words].some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

type Placed = Pick<SessionSummary, "id" | "updated">;

function isBehind(one: Placed, other: Placed): boolean {
  return one.updated < other.updated || (one.updated === other.updated && one.id < other.id);
}

function summaryOf(id: string, { turns, updated, owner }: Kept): SessionSummary {
  const title = textOf(turns[0]?.[0]?.parts.slice(0, 1) ?? []).slice(0, 120);
  return { id, turns: turns.length, updated, ...(owner !== undefined && { owner }), title };
}
