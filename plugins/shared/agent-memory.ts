import { listAll, type OwnMemory, type Store } from "@gantry/sdk";

/** The store's space for the agents that remember something of a person. */
const space = "agent-memories";

/** Returns the user under whom a memory keeps what one agent alone remembers of a person. */
export function memoryOf(user: string, agent: string): string {
  return `${user} as ${agent}`;
}

/** Notes that an agent remembers something of a person, so that it is found if they are erased. */
export async function noteMemory(values: Store["values"], user: string, agent: string): Promise<void> {
  await values.add(space, memoryOf(user, agent), agent);
}

/** Returns the agents that may remember something of a person, by name. */
export async function rememberers(values: Store["values"], user: string): Promise<readonly string[]> {
  const noted = await listAll<string>(values, space, memoryOf(user, ""));
  return noted.flatMap(({ key, value }) => (key === memoryOf(user, value) ? [value] : []));
}

/** Removes what agents remember of a person; returns how many memories there were. */
export async function eraseMemories(store: Store, own: OwnMemory | undefined, user: string): Promise<number> {
  let gone = 0;
  for (const agent of await rememberers(store.values, user)) {
    const holder = memoryOf(user, agent);
    gone += (await own?.erase(holder)) ?? 0;
    gone += (await store.erase(holder)).memories;
    await store.values.remove(space, holder);
  }
  return gone;
}
