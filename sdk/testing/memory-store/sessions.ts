import type { ChatMessage, Sessions } from "../../index.ts";

export type SessionMap = Map<string, { turns: (readonly ChatMessage[])[]; updated: string }>;

export function append(sessions: SessionMap, session: string, turn: readonly ChatMessage[]): void {
  if (turn.length === 0) return;
  const known = sessions.get(session) ?? { turns: [], updated: "" };
  known.turns.push(structuredClone(turn));
  known.updated = new Date().toISOString();
  sessions.delete(session);
  sessions.set(session, known);
}

export function sessionsIn(sessions: SessionMap): Sessions {
  return {
    append: async (session, turn) => append(sessions, session, turn),
    recent: async (session, turns) =>
      structuredClone(turns > 0 ? (sessions.get(session)?.turns ?? []).slice(-turns).flat() : []),
    list: async (limit) =>
      [...sessions]
        .map(([id, { turns, updated }]) => ({ id, turns: turns.length, updated }))
        .toReversed()
        .slice(0, limit),
    remove: async (session) => sessions.delete(session),
  };
}
