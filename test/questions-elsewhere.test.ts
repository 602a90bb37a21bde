import { Approvals, ask, textOf, type ApprovalRequest } from "@gantry/sdk";
import { pressApproval } from "@gantry/sdk/channel";
import {
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
  type FakeChannel,
  type TestHost,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import slashWords from "../plugins/slash-words/index.ts";
import { guard, tool } from "./helpers/plugins.ts";

const asking = guard("asking", () => ask({ code: "MAYBE", message: "This changes something." }));
const team = { kind: "group", id: "team" } as const;
const call = { calls: [{ name: "ring", args: {} }] };

interface Asked extends AsyncDisposable {
  readonly host: TestHost;
  readonly chat: FakeChannel;
  readonly question: ApprovalRequest;
  readonly ran: string[];
  /** The messages to which the model gave an answer. */
  readonly heard: string[];
}

/** A question that alice, an owner, was asked in a group. */
async function askedInGroup(people: object): Promise<Asked> {
  const ran: string[] = [];
  const heard: string[] = [];
  const model = fakeProvider([
    ({ messages }) => {
      const said = messages.findLast(({ role }) => role === "user");
      const text = said ? textOf(said.parts) : "";
      if (messages.at(-1)?.role === "tool") return "done";
      heard.push(text);
      return text.includes("go") ? call : "heard";
    },
  ]);
  const ring = tool("ring", async () => String(ran.push("ring")));
  const chat = fakeChannel("fake", { owners: ["alice"] });
  const plugins = [asking, ring, chat, memoryStore(), model, slashWords];
  const host = await startTestHost({ plugins, config: { people } });
  await host.serve();
  await chat.receive({ text: "go", conversation: team });
  await chat.sentCount(1);
  const [question] = await host.slot(Approvals).pending();
  if (!question) throw new Error("nothing is asked");
  return { host, chat, question, ran, heard, [Symbol.asyncDispose]: () => host.stop() };
}

const ada = { ada: { role: "owner", fake: ["alice"] } };

test("SDK-21: a bare /approve elsewhere decides nothing that a group was asked", async () => {
  await using t = await askedInGroup(ada);
  await t.chat.receive({ text: "/approve" });
  await t.chat.sentCount(2);
  const short = t.question.id.slice(0, 6);
  expect(t.chat.sent[1]?.text).toContain(`Say "/approve ${short}"`);
  await t.chat.receive({ text: `/approve ${short}` });
  await expect.poll(() => t.ran).toEqual(["ring"]);
});

test("SDK-21: a decision from elsewhere that comes twice is no talk", async () => {
  await using t = await askedInGroup(ada);
  const word = { text: `allow ${t.question.id.slice(0, 6)}` };
  await t.chat.receive(word);
  await expect.poll(() => t.ran).toEqual(["ring"]);
  await t.chat.receive(word);
  await t.chat.receive({ text: "hello" });
  await expect.poll(() => t.heard.length).toBeGreaterThan(1);
  expect(t.heard.join()).not.toContain("allow");
});

test.each([
  ["without [people]", {}],
  ["named by [people]", ada],
])("SDK-21: who decided before, %s, is told that they did", async (_, people) => {
  await using t = await askedInGroup(people);
  const presser = {
    channel: "fake",
    sender: { id: "alice" },
    conversation: team,
    trust: "owner",
  } as const;
  const press = () => pressApproval(t.host.slot(Approvals), `a:${t.question.id}:allow`, presser);
  expect((await press()).notice).toBe("Allowed.");
  expect((await press()).notice).toBe("This was decided already: allowed by you.");
});
