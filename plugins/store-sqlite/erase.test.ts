import { directMessage, textParts, type InboundMessage } from "@gantry/sdk";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createStore } from "./store.ts";

const long = "words of theirs, ".repeat(1_000);
const message = (from: string, id: string, text = long): InboundMessage =>
  directMessage({ channel: "t", id, from, text });

/**
 * Counts a number in a text, but not in ids: they are the platform's and stay a while, so that
 * nothing is taken twice.
 */
const traces = (text: string, from: string): number => text.split(new RegExp(`${from}(?!-[ab])`)).length - 1;

test("OPS-03: of a person who is erased the files hold neither number nor text, while another process has them open; what others wrote stays", async () => {
  const home = await mkdtemp(join(tmpdir(), "gantry-erase-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [serving, word] = [createStore(join(home, "gantry.db")), createStore(join(home, "gantry.db"))];
  onTestFinished(() => Promise.all([serving.close(), word.close()]).then(() => {}));
  const { store } = serving;
  for (const [from, kept] of [
    ["4915112345", "of erased"],
    ["4915199999", "of another"],
  ] as const) {
    await store.lanes.accept([message(from, `${from}-a`, `hello ${kept}`)]);
    const [claim] = await store.lanes.claim(1, 60_000);
    const said = [{ role: "user", parts: textParts(`said ${kept} ${long}`) }] as const;
    await store.lanes.answer(claim!, `answer ${kept}`, `t:${from}`, said);
    await store.lanes.ack(claim!);
  }
  await store.lanes.accept(["4915112345", "4915199999"].map((from) => message(from, `${from}-b`)));
  const held = async (): Promise<string> => {
    const names = (await readdir(home)).filter((name) => !name.endsWith("-shm"));
    return (await Promise.all(names.map((name) => readFile(join(home, name), "latin1")))).join();
  };
  expect(traces(await held(), "4915112345")).toBeGreaterThan(0);

  await word.store.erase("t:4915112345");
  const left = await held();
  expect(traces(left, "4915112345")).toBe(0);
  for (const text of ["hello of erased", "said of erased", "answer of erased"])
    expect(left).not.toContain(text);
  expect(left).toContain("said of another");
  expect(traces(left, "4915199999")).toBeGreaterThan(0);
  expect(await store.lanes.accept([message("4915112345", "4915112345-a")])).toEqual(["duplicate"]);
  expect(await store.lanes.claim(2, 60_000)).toMatchObject([{ lane: "t:4915199999" }]);
});
