import { expect, test } from "vitest";
import { directMessage, type Role } from "../index.ts";
import {
  isForAgent,
  peopleRow,
  refuseStranger,
  strangerGuard,
  trustOf,
  type AllowedPeople,
  type Groups,
} from "./index.ts";

test.each<[AllowedPeople, Record<string, string | undefined>]>([
  [
    { allowed: ["1"], owners: [] },
    { "1": "owner", "2": undefined, "*": undefined, "": undefined },
  ],
  [
    { allowed: ["1", "2"], owners: [] },
    { "1": "member", "2": "member", "3": undefined },
  ],
  [
    { allowed: ["1", "2"], owners: ["2"] },
    { "1": "member", "2": "owner" },
  ],
  [
    { allowed: ["1"], owners: ["2"] },
    { "1": "member", "2": "owner", "3": undefined },
  ],
  [
    { allowed: ["*", "1"], owners: [] },
    { "1": "member", "3": "guest", "*": "guest" },
  ],
  [
    { allowed: ["*"], owners: ["2"] },
    { "2": "owner", "3": "guest" },
  ],
  [{ allowed: [], owners: [] }, { "1": undefined }],
])("CC-04: with %j ids are trusted as %j", (people, trust) => {
  for (const [id, step] of Object.entries(trust)) expect([id, trustOf(id, people)]).toEqual([id, step]);
});

const named = (roles: Record<string, Role>) => () => new Map(Object.entries(roles));

test.each<[string, Role, AllowedPeople, string | undefined]>([
  ["lets in whom no list has", "member", { allowed: [], owners: [] }, "member"],
  ["makes an owner of a member", "owner", { allowed: ["1", "2"], owners: ["2"] }, "owner"],
  ["goes before the list of owners", "member", { allowed: [], owners: ["1"] }, "member"],
  ["goes before being alone in the list", "member", { allowed: ["1"], owners: [] }, "member"],
  [
    "makes no owner where senders are not proven",
    "owner",
    { allowed: [], owners: [], sendersProven: false },
    "member",
  ],
])("SDK-21: a name in [people] %s", (_, role, people, trust) => {
  expect(trustOf("1", { ...people, named: named({ "1": role }) })).toBe(trust);
});

test("SDK-21: where [people] names an owner, nobody is one by being alone in the list", () => {
  const alone = { allowed: ["1"], owners: [] };
  expect(trustOf("1", { ...alone, named: named({ "2": "member" }) })).toBe("owner");
  expect(trustOf("1", { ...alone, named: named({ "2": "owner" }) })).toBe("member");
});

test("SDK-21: status counts whom [people] names among those who may write", () => {
  const people = { allowed: ["1"], owners: [], named: named({ "1": "owner", "2": "member" }) };
  expect(peopleRow("mail", "k", people)).toMatchObject({ state: "ok", detail: "2 may write" });
});

const domain = (entry: string, id: string): boolean =>
  id === entry || (entry.startsWith("@") && id.endsWith(entry));

test("CC-04: an entry that means many lets members in and makes no owner", () => {
  const people = { allowed: ["@a.test"], owners: [] };
  expect(trustOf("x@a.test", people, domain)).toBe("member");
  expect(trustOf("x@sub.a.test", people, domain)).toBeUndefined();
  expect(trustOf("x@a.test", { allowed: ["x@a.test"], owners: [] }, domain)).toBe("owner");
});

test("CC-04: a stranger is refused with the list to add them to", () => {
  expect(refuseStranger("7", "channels.mail.allowed")).toMatchObject({
    verdict: "refuse",
    code: "CHANNEL_NOT_ALLOWED",
    reason: "7 is not in channels.mail.allowed: add the id there if they may write.",
  });
});

test("CC-04: a channel's guard refuses its own strangers, and says nothing of anybody else", async () => {
  const guard = strangerGuard("mail", "k", (id) => (id === "1" ? "member" : undefined));
  const write = (channel: string, from: string) =>
    guard(directMessage({ channel, from, id: "m", text: "hello" }));
  expect(await write("mail", "7")).toEqual(refuseStranger("7", "k"));
  expect([await write("mail", "1"), await write("post", "7")]).toEqual([undefined, undefined]);
  const broken = strangerGuard("mail", "k", () => Promise.reject(new Error("disk")));
  await expect(broken(directMessage({ channel: "mail", from: "1", id: "m", text: "hello" }))).rejects.toThrow(
    "disk",
  );
});

test("CC-04: status says loudly that nobody or everybody may write", () => {
  expect(peopleRow("mail", "channels.mail.allowed", { allowed: [], owners: [] })).toMatchObject({
    state: "warn",
    detail: "nobody may write",
    cure: expect.stringContaining("channels.mail.allowed"),
  });
  expect(peopleRow("mail", "k", { allowed: [], owners: [] }, true)).toMatchObject({
    state: "ok",
    detail: "only who sends a code of `gantry pair new` may write",
  });
  expect(peopleRow("mail", "k", { allowed: ["*"], owners: [] }, true)).toMatchObject({ state: "warn" });
  expect(peopleRow("mail", "k", { allowed: ["1"], owners: ["1", "2"] })).toMatchObject({
    state: "ok",
    detail: "2 may write",
  });
});

test.each<[Groups, boolean, boolean]>([
  ["off", true, false],
  ["off", false, false],
  ["mention", true, true],
  ["mention", false, false],
  ["all", false, true],
])("CC-06: groups = %j, mentioned %j: for the agent %j", (groups, mentioned, expected) => {
  const written = { kind: "group", group: "g", mentioned } as const;
  expect(isForAgent(written, groups)).toBe(expected);
  expect(isForAgent(written, groups, ["g"])).toBe(expected);
  expect(isForAgent(written, groups, ["other"])).toBe(false);
  expect(isForAgent({ ...written, kind: "direct" }, groups, ["other"])).toBe(true);
});
