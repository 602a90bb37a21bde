import { Store, type CheckRow, type Runtime } from "@gantry/sdk";
import { fillCure } from "./check-plugins.ts";

const SHOWN = 5;
/** An id is whatever a platform, or somebody in its name, sent. */
const ID_SHOWN = 80;

/** Returns whether the store answers, the messages that wait in it, and the dead letters. */
export async function checkStore(store: Store | undefined, runtime: Runtime): Promise<readonly CheckRow[]> {
  if (!store) {
    const detail = "none: conversations are forgotten and channels cannot run";
    return [{ what: "store", state: "warn", detail, cure: await fillCure(runtime, Store) }];
  }
  const { waiting, running, deadLetters } = await store.lanes.stats();
  const rows: CheckRow[] = [
    { what: "store", state: "ok", detail: `waiting messages: ${waiting}, being answered: ${running}` },
    ...(await heldUp(store)),
  ];
  if (deadLetters > 0) rows.push(await deadLetterRow(store, deadLetters));
  return rows;
}

/** Returns the parts that are away, so that messages wait for them. */
async function heldUp({ lanes }: Store): Promise<readonly CheckRow[]> {
  return (await lanes.waits()).map(({ waitsFor, lanes: conversations, reason }) => ({
    what: `messages wait for ${waitsFor}`,
    state: "warn",
    detail: `in ${conversations} ${conversations === 1 ? "conversation" : "conversations"}: ${reason}`,
    cure: "Mend what the reason says; they are answered by themselves once it works.",
  }));
}

async function deadLetterRow({ lanes }: Store, count: number): Promise<CheckRow> {
  const first = await lanes.page("dead", SHOWN);
  const which = first
    .map(({ channel, id, reason, ended }) => `${channel} ${id.slice(0, ID_SHOWN)} (${ended}: ${reason})`)
    .join("; ");
  const more = count > first.length ? `; and ${count - first.length} more` : "";
  return {
    what: "dead letters",
    state: "warn",
    detail: `${count} could not be answered: ${which}${more}`,
    cure: "Mend what the reason says, then `gantry inbox retry --all`, or `gantry inbox drop`.",
  };
}
