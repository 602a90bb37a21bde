import { userOf, type Erased, type UsageRow } from "../../fill.ts";
import type { Row } from "./rows.ts";
import type { Entries } from "./memory.ts";
import { forgetValues, type SessionMap } from "./sessions.ts";
import type { ValueSpaces } from "../../node/process-values.ts";

interface Kept {
  readonly sessions: SessionMap;
  readonly entries: Entries;
  readonly rows: Row[];
  readonly costs: UsageRow[];
  readonly values: ValueSpaces;
}

export function erase(user: string, { sessions, entries, rows, costs, values }: Kept): Erased {
  const theirs = [...sessions].filter(([id, { owner }]) => owner === user || id === user);
  for (const [id] of theirs) {
    sessions.delete(id);
    forgetValues(values, id);
  }
  const memories = entries.filter((entry) => entry.user === user);
  for (const entry of memories) entries.splice(entries.indexOf(entry), 1);
  const messages = rows.filter(({ message, state }) => userOf(message) === user && state !== "done");
  for (const row of messages) row.state = "done";
  for (const [i, row] of costs.entries())
    if (row.user === user) costs[i] = { ...row, user: "erased", session: "" };
  return { sessions: theirs.length, memories: memories.length, messages: messages.length };
}
