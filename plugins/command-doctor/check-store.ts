import type { CheckRow, Store } from "@gantry/sdk";

const SHOWN = 5;
/** An id is whatever a platform, or somebody in its name, sent. */
const ID_SHOWN = 80;

/** Whether the store answers, what waits in it, and the messages that nobody could answer. */
export async function checkStore(store: Store | undefined): Promise<readonly CheckRow[]> {
  if (!store) {
    const cure = "List a store, see `gantry plugins list`.";
    return [
      {
        what: "store",
        state: "warn",
        detail: "none: conversations are forgotten and channels cannot run",
        cure,
      },
    ];
  }
  const { waiting, running, deadLetters: setAside } = await store.lanes.stats();
  const rows: CheckRow[] = [
    { what: "store", state: "ok", detail: `${waiting} messages wait, ${running} are being answered` },
  ];
  if (setAside === 0) return rows;
  const first = await store.lanes.listDeadLetters(SHOWN);
  const which = first
    .map(({ channel, id, reason, at }) => `${channel} ${id.slice(0, ID_SHOWN)} (${at}: ${reason})`)
    .join("; ");
  const more = setAside > first.length ? `; and ${setAside - first.length} more` : "";
  const cure = "Mend what the reason says; the sender has to write again.";
  return [
    ...rows,
    {
      what: "messages set aside",
      state: "warn",
      detail: `${setAside} could not be answered: ${which}${more}`,
      cure,
    },
  ];
}
