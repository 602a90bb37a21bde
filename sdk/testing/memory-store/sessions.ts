import { turnsToShow, type ChatMessage, type Sessions } from "../../index.ts";

interface Kept {
  turns: (readonly ChatMessage[])[];
  updated: string;
  view: { generation: number; through: number; base: readonly ChatMessage[] };
}
export type SessionMap = Map<string, Kept>;

export function append(sessions: SessionMap, session: string, turn: readonly ChatMessage[]): void {
  if (turn.length === 0) return;
  const known = sessions.get(session) ?? newSession();
  known.updated = new Date().toISOString();
  known.turns.push(structuredClone(turn));
  sessions.delete(session);
  sessions.set(session, known);
}

export function sessionsIn(sessions: SessionMap): Sessions {
  return {
    append: async (session, turn) => append(sessions, session, turn),
    view: async (session, most) => {
      const { turns, view } = sessions.get(session) ?? newSession();
      const after = turns.slice(view.through);
      const shown = after.slice(after.length - turnsToShow(after.length, most));
      return structuredClone({ generation: view.generation, base: view.base, turns: shown });
    },
    compact: async (session, generation, base) => {
      const known = sessions.get(session) ?? newSession();
      if (known.view.generation !== generation) return false;
      known.view = {
        generation: generation + 1,
        through: known.turns.length,
        base: structuredClone(base),
      };
      sessions.set(session, known);
      return true;
    },
    undo: async (session) => {
      const known = sessions.get(session);
      if (!known || known.turns.length <= known.view.through) return false;
      known.turns.pop();
      return true;
    },
    recent: async (session, turns) =>
      structuredClone(turns > 0 ? (sessions.get(session)?.turns ?? []).slice(-turns).flat() : []),
    list: async (limit) =>
      [...sessions]
        .filter(([, { updated }]) => updated !== "")
        .map(([id, { turns, updated }]) => ({ id, turns: turns.length, updated }))
        .toReversed()
        .slice(0, limit),
    remove: async (session) => sessions.delete(session),
  };
}

function newSession(): Kept {
  return { turns: [], updated: "", view: { generation: 0, through: 0, base: [] } };
}
