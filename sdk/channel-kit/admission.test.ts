import { expect, test } from "vitest";
import { textParts, type AuditEvent, type InboundMessage, type Store } from "../index.ts";
import type { MediaFacts } from "../fill.ts";
import { createMemoryMedia, createMemoryStore } from "../testing/index.ts";
import { Admission, LetIn, type Admitted, type Attachment, type PlatformMessage } from "./index.ts";

const never = new AbortController().signal;
const unheard = (): void => {};
const message: PlatformMessage = {
  id: "chat:1",
  timestamp: 1_700_000_000,
  sender: { id: "7", name: "Eve" },
  conversation: { id: "chat", kind: "direct" },
  replyTo: { chat: 5 },
  text: "hello",
  quoted: textParts("what is answered"),
  mentioned: false,
  files: [],
};
const file: Attachment = { kind: "file", name: "a.txt", load: async () => new Uint8Array([1, 2]) };

interface Door {
  admit(change?: Partial<PlatformMessage>, besides?: Partial<Admitted>): Promise<InboundMessage | undefined>;
  /** The answers to strangers about their codes. */
  readonly told: string[];
  readonly records: Omit<AuditEvent, "timestamp">[];
  readonly warnings: string[];
  readonly kept: MediaFacts[];
  readonly people: LetIn;
  readonly store: Store;
}

function door(pairing = true): Door {
  const store = createMemoryStore();
  const memory = createMemoryMedia();
  const told: string[] = [];
  const records: Omit<AuditEvent, "timestamp">[] = [];
  const warnings: string[] = [];
  const kept: MediaFacts[] = [];
  const people = new LetIn("mail", { people: { allowed: ["1"], owners: [] }, pairing }, () => store);
  const admission = new Admission("mail", {
    people,
    audit: {
      record: async (event) => void records.push(event),
      recordStranger: async (event) => void records.push(event),
    },
    codes: { redeem: async () => {} },
    media: {
      ...memory,
      put(bytes, facts) {
        kept.push(facts);
        return memory.put(bytes, facts);
      },
    },
    log: { debug: unheard, info: unheard, error: unheard, warn: (_, text) => void warnings.push(text) },
  });
  const answer = async (text: string): Promise<void> => void told.push(text);
  return {
    store,
    told,
    records,
    warnings,
    kept,
    people,
    admit: (change, besides) =>
      admission.admit(
        { ...message, ...change },
        { trust: undefined, attachments: [file], answer, ...besides },
        never,
      ),
  };
}

test("CC-04: a stranger's message goes in for the guard to refuse, with none of its files loaded", async () => {
  const { admit, kept, told } = door();
  expect(await admit()).toEqual({
    channel: "mail",
    id: "chat:1",
    timestamp: 1_700_000_000,
    sender: { id: "7", name: "Eve" },
    conversation: { id: "chat", kind: "direct" },
    replyTo: { chat: 5 },
    parts: textParts("hello"),
    quoted: textParts("what is answered"),
    mentioned: false,
    trust: "guest",
  });
  expect([kept, told]).toEqual([[], []]);
});

test("CC-04: TG-16: who is known has their files kept on their own account, beside the words", async () => {
  const { admit, kept } = door();
  const admitted = await admit({ text: "", quoted: [] }, { trust: "member" });
  expect(admitted).toMatchObject({ trust: "member", parts: [{ type: "media", media: { name: "a.txt" } }] });
  expect(admitted).not.toHaveProperty("quoted");
  expect(kept).toMatchObject([{ user: "mail:7", name: "a.txt" }]);
});

test("SEC-12: TG-16: the files of a message that is passed on are quoted, also what is said in its voice message", async () => {
  const { admit } = door();
  const speech: Attachment = { ...file, kind: "voice message", name: "note.ogg" };
  const passedOn = await admit(
    { text: "[forwarded message]", quoted: [], forwarded: true },
    { trust: "owner", attachments: [file, speech] },
  );
  expect(passedOn?.parts).toEqual(textParts("[forwarded message]"));
  expect(passedOn?.quoted?.map(({ type }) => type)).toEqual(["media", "media", "text"]);
});

test("CHN-01: a stranger's code in a direct chat lets them in and is no message; what is told may fail", async () => {
  const { admit, told, people, records, warnings, store } = door();
  expect(await admit({ text: "123456" })).toBeUndefined();
  expect([told.length, await people.trust("7"), records[0]?.user]).toEqual([1, "member", "mail:7"]);
  // Whoever came in by a code is out again once codes let nobody in.
  const without = new LetIn("mail", { people: { allowed: ["1"], owners: [] }, pairing: false }, () => store);
  expect(await without.trust("7")).toBeUndefined();
  const away = { answer: () => Promise.reject(new Error("away")) };
  expect(await admit({ text: "123456" }, away)).toBeUndefined();
  expect(warnings).toEqual(["An answer about pairing was not sent: away"]);
});

test("CHN-01: digits are a message where pairing is off, in a group, and from somebody who may write", async () => {
  const code = { text: "123456" };
  const { admit, records } = door();
  const inGroup = { ...code, conversation: { id: "team", kind: "group" } as const };
  const admitted = [
    await door(false).admit(code),
    await admit(inGroup),
    await admit(code, { trust: "member", attachments: [] }),
  ];
  expect(admitted.map((one) => one?.parts)).toEqual(admitted.map(() => textParts("123456")));
  expect(records).toEqual([]);
});
