import { storeContract, type StoreSubject } from "@gantry/sdk/testing";
import { expect, test } from "vitest";

const none = (): never => {
  throw new Error("No case is run here.");
};
const subject: StoreSubject = { open: none, pass: none, openShared: none, openBreakable: none };
const cases = storeContract(subject).map(({ name }) => name);

/**
 * The duties of a store of many nodes; `plugins/store-sqlite` and `plugins/store-postgres` run each
 * case.
 */
test.each([
  "ST-01: who listens is told of what is due",
  "ST-02: a claim takes as many lanes as it asks for",
  "ST-03: what ended a claim may be asked again",
  "ST-04: a lease ends by the store's clock",
  "ST-05: every claim has a token of its own",
  "ST-06: a turn is kept only while its lane is held",
  "ST-07: recover takes nothing from a living node",
  "ST-09: a reply, a reason and a key may hold any text",
  "ST-10: overlapping deliveries in opposite order lose nothing",
  "ST-12: a value is removed by one of many, and values are paged",
  "ST-13: a failure that may pass is told as one",
])("%s, by a case of the store contract", (sentence) => {
  const [id] = sentence.split(" ");
  expect(cases.filter((name) => name.startsWith(`${id} `))).not.toEqual([]);
});
