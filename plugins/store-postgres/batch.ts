interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

const most = 256;

/**
 * Returns a call whose calls share round trips and commits: what is asked while `flights` are
 * under way goes into the next one; with one flight the order of the calls is kept. `run` gets at
 * most 256 items and answers each in its place. Where a group is refused, each of it is tried
 * alone, so that it fails alone.
 */
export function grouped<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly Answer[]>,
  isRefused: (error: unknown) => boolean,
  flights: number,
): (item: Item) => Promise<Answer> {
  let queue: Waiting<Item, Answer>[] = [];
  let flying = 0;

  const fly = async (group: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await run(group.map(({ item }) => item));
      group.forEach(({ resolve }, at) => resolve(answers[at] as Answer));
    } catch (error) {
      if (group.length > 1 && isRefused(error)) for (const one of group) await fly([one]);
      else for (const { reject } of group) reject(error);
    }
  };
  const go = (): void => {
    while (queue.length > 0 && flying < flights) {
      const group = queue.slice(0, most);
      queue = queue.slice(most);
      flying += 1;
      void fly(group).finally(() => {
        flying -= 1;
        go();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (queue.length === 1) setImmediate(go);
    });
}
