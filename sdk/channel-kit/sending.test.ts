import { expect, test } from "vitest";
import type { Inbox, Receipt, Sent } from "../index.ts";
import { createMemoryStore, fakeClock } from "../testing/index.ts";
import { platformAddress, readSecrets, receiveAll, scrubber, sendInParts, showWorking } from "./index.ts";
import { pass } from "./clock.test-kit.ts";

/** The address, or that there is none. */
function addressOf(address: string, allowed: boolean): string | undefined {
  try {
    return platformAddress("endpoints.a_url", address, allowed);
  } catch (error) {
    return String(error).includes("is not an https:// address") ? undefined : String(error);
  }
}

const message = { space: "mail.parts", key: "mail:1:reply" };

test("CC-02: another try of a message in many parts sends only what did not go out, also after a restart", async () => {
  const { values } = createMemoryStore();
  const parts = ["a", "b", "c", "d"];
  const sent: string[] = [];
  const outcomes: Sent[] = [
    { status: "sent" },
    { status: "sent" },
    { status: "retry", reason: "later", afterMs: 5 },
  ];
  const attempt = (): Promise<Sent> =>
    sendInParts({
      ...message,
      values,
      parts,
      async send(part) {
        const outcome = outcomes.shift() ?? { status: "sent", id: part };
        if (outcome.status === "sent") sent.push(part);
        return outcome;
      },
    });
  expect(await attempt()).toEqual({ status: "retry", reason: "later", afterMs: 5 });
  expect(await attempt()).toEqual({ status: "sent", id: "d" });
  expect(sent.join("")).toBe("abcd");
  expect(await values.list("mail.parts", { limit: 9 })).toEqual([]);
});

test("CC-02: a refused part ends the message, a throw is another try, and no part is no message", async () => {
  const { values } = createMemoryStore();
  const refused = await sendInParts({
    ...message,
    values,
    parts: ["a", "b"],
    send: async () => ({ status: "refused", reason: "no" }),
  });
  expect([refused, await values.list("mail.parts", { limit: 9 })]).toEqual([
    { status: "refused", reason: "no" },
    [],
  ]);
  const broken = { ...values, get: () => Promise.reject(new Error("disk")) };
  expect(
    await sendInParts({
      ...message,
      values: broken,
      parts: ["a", "b"],
      send: async () => ({ status: "sent" }),
    }),
  ).toEqual({
    status: "retry",
    reason: "disk",
  });
  expect(
    await sendInParts({ ...message, values, parts: [], send: async () => ({ status: "sent" }) }),
  ).toEqual({ status: "sent" });
});

test("CC-01: while the inbox is full a message is handed in again, until it is taken or the channel stops", async () => {
  using clock = fakeClock(0);
  const answers: Receipt[][] = [["full"], ["full"], ["accepted"]];
  const inbox = { receive: async () => answers.shift() ?? ["full"] } as unknown as Inbox;
  const taken = receiveAll(inbox, [], new AbortController().signal);
  await pass(clock, 11_000);
  expect(await taken).toEqual(["accepted"]);
  const stop = new AbortController();
  const waiting = receiveAll(inbox, [], stop.signal).catch((error: Error) => error.name);
  await pass(clock, 1);
  stop.abort();
  expect(await waiting).toBe("AbortError");
});

test("CC-16: the sign is renewed while the turn runs, not once after its end, and given up where it is refused", async () => {
  using clock = fakeClock(0);
  let shown = 0;
  const stop = new AbortController();
  const working = showWorking(4_000, stop.signal, async () => void (shown += 1));
  await pass(clock, 9_000);
  expect(shown).toBe(3);
  stop.abort();
  await working;
  await pass(clock, 60_000);
  expect(shown).toBe(3);
  let tries = 0;
  const refused = showWorking(4_000, new AbortController().signal, () => {
    tries += 1;
    return Promise.reject(new Error("no"));
  });
  await pass(clock, 60_000);
  await refused;
  expect(tries).toBe(3);
});

test("CC-11: what a platform said goes into a log without the channel's secrets, in one line", () => {
  const scrub = scrubber(["123:AB cd", undefined, "", "v"]);
  expect(scrub("bad\ntoken 123:AB cd at /bot123%3AAB%20cd/getMe")).toBe("bad token *** at /bot***/getMe");
  expect(scrub("x".repeat(1_000))).toHaveLength(300);
  expect(scrub("given")).toBe("given");
});

function read(
  values: { readonly token: string | undefined; readonly other: string | undefined },
  env: Readonly<Record<string, string>> = {},
) {
  return readSecrets({ channel: "a", table: "channels.a", values, required: ["token", "other"], env });
}

test("CC-11: a variable wins over the key, a blank one is said, and what is missing is said at once", () => {
  expect(read({ token: "key", other: "x" }, { SERVICE_A_TOKEN: "variable" })).toEqual({
    token: "variable",
    other: "x",
  });
  expect(() => read({ token: "key", other: "x" }, { SERVICE_A_TOKEN: " " })).toThrow(
    "SERVICE_A_TOKEN is set but blank",
  );
  expect(() => read({ token: undefined, other: undefined })).toThrow(
    "The channel a lacks token (SERVICE_A_TOKEN), other (SERVICE_A_OTHER): set the key in [channels.a] or the variable.",
  );
});

test.each([
  ["https://a.test/base/", true, "https://a.test/base"],
  ["http://127.0.0.1:9", true, "http://127.0.0.1:9"],
  ["http://127.0.0.1:9", false, undefined],
  ["http://a.test", true, undefined],
  ["http://127.0.0.1.a.test", true, undefined],
  ["http://user@a.test#@127.0.0.1", true, undefined],
  ["ftp://127.0.0.1", true, undefined],
  ["a.test", true, undefined],
])("CC-11: %s is an address for secrets where loopback is allowed: %s", (address, allowed, expected) => {
  expect(addressOf(address, allowed)).toBe(expected);
});

/** Tries in turn, each with what the platform makes of its calls; gives what went out. */
async function tries(
  ...given: readonly { readonly earlier?: "ended" | "cut"; readonly outcomes: Sent[] }[]
): Promise<readonly [sent: readonly string[], ends: readonly Sent[]]> {
  const { values } = createMemoryStore();
  const sent: string[] = [];
  const ends: Sent[] = [];
  for (const { earlier, outcomes } of given)
    ends.push(
      await sendInParts({
        ...message,
        values,
        earlier,
        parts: ["a", "file"],
        again: (part) => `copy of ${part}`,
        instead: (part, reason) => (part === "file" ? `no ${part}: ${reason}` : undefined),
        async send(part) {
          sent.push(part);
          return outcomes.shift() ?? { status: "sent" };
        },
      }),
    );
  return [sent, ends];
}

const sentWell: Sent = { status: "sent" };
const unsure: Sent = { status: "retry", reason: "cut", unsure: true };

test("FLR-08: a part that may have been taken is sent once more, as a copy, and no other is", async () => {
  const [sent] = await tries({ outcomes: [sentWell, unsure] }, { earlier: "ended", outcomes: [] });
  expect(sent).toEqual(["a", "file", "copy of file"]);
});

test("FLR-08: a part of a try that was cut counts as one that may have been taken", async () => {
  const [sent] = await tries({ outcomes: [sentWell, unsure] }, { earlier: "cut", outcomes: [] });
  expect(sent).toEqual(["a", "file"]);
  const [again] = await tries({ earlier: "cut", outcomes: [] });
  expect(again).toEqual(["copy of a", "file"]);
});

test("FLR-08: a part whose copy may have been taken too is given up, and the reason says so", async () => {
  const [sent, ends] = await tries({ outcomes: [unsure] }, { earlier: "ended", outcomes: [unsure] });
  expect([sent, ends.at(-1)?.status]).toEqual([["a", "copy of a"], "refused"]);
});

test("FLR-19: a refused file is told in its place, and a refused text ends the message", async () => {
  const refused: Sent = { status: "refused", reason: "too large" };
  const [sent, ends] = await tries({ outcomes: [sentWell, refused] });
  expect([sent, ends]).toEqual([["a", "file", "no file: too large"], [sentWell]]);
  expect(await tries({ outcomes: [refused] })).toEqual([["a"], [refused]]);
});
