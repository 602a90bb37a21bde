import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { Frames } from "../shared/frames.ts";
import { Peer } from "./peer.ts";
import type { Work } from "./values.ts";

/** A service that answers by `root`, and the frames of a process that may send it anything. */
function hostile(root: Work) {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const peer = new Peer(up, down, root);
  const ended = new Promise<Error>((resolve) => up.on("error", resolve));
  const answers = new Map<unknown, (answer: any) => void>();
  const frames = new Frames<any, object>(down, up, ({ message }) => answers.get(message.id)?.(message));
  const ask = (id: number, args: unknown) => {
    const { promise, resolve } = Promise.withResolvers<any>();
    answers.set(id, resolve);
    frames.send({ do: "ask", id, work: 0, args });
    return promise;
  };
  return { peer, ended, ask, tell: (told: object) => frames.send(told) };
}

const signals = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({ $: ["signal", from + i] }));

test("ISO-01: a question with more signals than can be in use is refused", async () => {
  const { ask } = hostile(() => "answered");
  expect(await ask(1, [signals(1, 100_000)])).toMatchObject({
    do: "fail",
    error: { message: "too many signals are held" },
  });
  expect(await ask(2, signals(1, 1))).toMatchObject({ do: "answer", value: "answered" });
});

test("ISO-01: the signals of a question go once it is answered", async () => {
  const { ask } = hostile(() => "answered");
  for (let i = 0; i < 4; i++)
    expect(await ask(i, [signals(i * 9_000, 9_000)])).toMatchObject({ value: "answered" });
});

test("ISO-01: a stream in an answer is still aborted by the signal of its question", async () => {
  let taken: AbortSignal | undefined;
  const { ask, tell } = hostile((signal) => {
    taken = signal as AbortSignal;
    return (async function* () {})();
  });
  await ask(1, signals(7, 1));
  const aborted = new Promise((resolve) => taken!.addEventListener("abort", resolve));
  tell({ do: "abort", signal: 7, reason: { message: "enough", name: "Error" } });
  await aborted;
  expect(taken!.reason).toMatchObject({ message: "enough" });
});

test.each([
  { do: "ping" },
  { do: "pong" },
  { do: "abort", signal: 1, reason: { message: "", name: "" } },
  { do: "forget", works: [], signals: [] },
])("ISO-01: the first $do of many bytes ends the channel", async (told) => {
  const { ended, ask, tell } = hostile(() => "answered");
  expect(await ask(1, [])).toMatchObject({ value: "answered" });
  tell({ ...told, more: "x".repeat(100_000) });
  expect((await ended).message).toBe("a message is too long");
});
