import type { KeptMessage, Lanes, Notice } from "../../fill.ts";
import type { Hold, Row } from "./rows.ts";

/** Returns a person's actions on messages that wait or are dead letters. */
export function keptIn(
  rows: readonly Row[],
  held: ReadonlyMap<string, Hold>,
  now: () => number,
  due: () => void,
  post: (notice: Notice) => boolean,
): Pick<Lanes, "page" | "read" | "putBack" | "drop"> {
  const kept = (number: number): Row | undefined =>
    rows.find((row) => row.number === number && row.state !== "done");
  return {
    page: async (state, limit, after = 0) =>
      rows
        .filter((row) => row.state === state && row.number > after)
        .slice(0, limit)
        .map(keptOf),
    read: async (number) => {
      const row = kept(number);
      if (!row) return undefined;
      return { ...keptOf(row), message: row.message, ...(row.reply !== undefined && { reply: row.reply }) };
    },
    putBack: async (number) => {
      const row = kept(number);
      if (row?.state !== "dead") return false;
      Object.assign(row, { state: "waiting", accepted: now(), begun: 0, failures: 0, due: 0 });
      delete row.tried;
      delete row.ended;
      delete row.token;
      due();
      return true;
    },
    drop: async (number, notice) => {
      const row = kept(number);
      if (!row || held.get(row.lane)?.row === row) return false;
      if (notice && row.state === "waiting" && !row.isNotice) post(notice);
      row.state = "done";
      return true;
    },
  };
}

function keptOf(row: Row): KeptMessage {
  const { number, message, lane, accepted, ended, failures, begun, reason, waitsFor, reply } = row;
  return {
    number,
    state: row.state === "dead" ? "dead" : "waiting",
    channel: message.channel,
    id: message.id,
    lane,
    accepted: new Date(accepted).toISOString(),
    failures,
    begun,
    isAnswered: reply !== undefined,
    ...(ended !== undefined && { ended: new Date(ended).toISOString() }),
    ...(reason !== undefined && { reason }),
    ...(waitsFor !== undefined && { waitsFor }),
  };
}
