/**
 * Returns an answer that can be awaited, or gone through, as what gives one thing after the other
 * is asked without waiting. Nobody need wait for it.
 */
export function itself(answer: Promise<unknown>): unknown {
  answer.catch(() => undefined);
  const items = async function* (): AsyncGenerator<unknown> {
    yield* (await answer) as AsyncIterable<unknown>;
  };
  return Object.defineProperty(answer, Symbol.asyncIterator, { value: items });
}
