import type { ImapFlow, SearchObject } from "imapflow";

const secondMs = 1_000;
const dayMs = 86_400_000;

/** Returns the numbers of the mails from `next` on, lowest first. */
export async function numbersFrom(client: ImapFlow, next: number): Promise<readonly number[]> {
  // For a range that begins beyond the last mail, servers return the last one.
  return (await find(client, { uid: `${next}:*` })).filter((one) => one >= next);
}

/**
 * Returns the lowest number of the mails that came in since `at`, Unix ms; undefined if none did.
 * Numbers ascend as mails come in, so all from this one on came later.
 */
export async function firstSince(client: ImapFlow, at: number): Promise<number | undefined> {
  // Servers that know WITHIN are asked for what is so and so old by their own clock, which may
  // differ from ours.
  if (client.capabilities.has("WITHIN")) return (await find(client, { since: new Date(at - secondMs) }))[0];
  // The others know days alone, in a time zone of theirs.
  const [earliest] = await find(client, { since: new Date(at - dayMs) });
  if (earliest === undefined) return undefined;
  const mails = await client.fetchAll(`${earliest}:*`, { internalDate: true }, { uid: true });
  const late = mails.filter(({ internalDate }) => internalDate !== undefined && timeOf(internalDate) >= at);
  return late.length === 0 ? undefined : Math.min(...late.map(({ uid }) => uid));
}

async function find(client: ImapFlow, wanted: SearchObject): Promise<readonly number[]> {
  const found = await client.search(wanted, { uid: true });
  if (!Array.isArray(found)) throw new Error("the folder could not be searched");
  return found.toSorted((a, b) => a - b);
}

function timeOf(date: Date | string): number {
  return new Date(date).getTime();
}
