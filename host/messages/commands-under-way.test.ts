import { expect, test } from "vitest";
import { CommandsUnderWay } from "./commands-under-way.ts";

test("SDK-16: commands are told when the time that a stop gives them is up, and not before", async () => {
  const underWay = new CommandsUnderWay({ error: () => {} } as never);
  const ended = Promise.withResolvers<void>();
  void underWay.run(
    "m1",
    "s1",
    () => ended.promise,
    async () => {},
  );
  const time = new AbortController();
  const stopped = underWay.stop(time.signal);
  expect(underWay.over.signal.aborted).toBe(false);
  time.abort();
  await stopped;
  expect(underWay.over.signal.aborted).toBe(true);
  ended.resolve();
});
