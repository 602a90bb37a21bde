import { expect, test } from "vitest";
import type { ApprovalRequest, Approvals, Sent } from "../index.ts";
import type { DecisionOutcome } from "../fill.ts";
import { createMemoryStore } from "../testing/index.ts";
import { deadButton, LetIn, OpenQuestions, type PressOutcome } from "./index.ts";

const conversation = { id: "chat", kind: "direct" } as const;
const sent: Sent = { status: "sent" };

function request(id = "0123456789abcdef"): ApprovalRequest {
  return {
    id,
    session: "mail:chat",
    user: "mail:1",
    tool: "shell",
    args: {},
    preview: "rm x",
    lines: 1,
    commands: 1,
    warnings: [],
    reasons: [],
    expires: new Date(0).toISOString(),
  };
}

interface Desk {
  readonly questions: OpenQuestions<string>;
  /** The questions that the host is asking. */
  readonly pending: ApprovalRequest[];
  /** The presses as the host was handed them: who, and their trust. */
  readonly decided: string[];
  /** The places at which words replaced a question, and the last line of the words. */
  readonly settled: string[];
  press(data: string, id?: string): Promise<PressOutcome>;
}

/** A channel whose owner is 1; the host takes decisions of owners alone. */
function desk(): Desk {
  const pending: ApprovalRequest[] = [request()];
  const decided: string[] = [];
  const settled: string[] = [];
  const approvals: Approvals = {
    pending: async () => pending,
    async decide(id, decision, { user, trust }): Promise<DecisionOutcome> {
      decided.push(`${user} ${trust} ${decision}`);
      const at = pending.findIndex((one) => one.id === id);
      if (at < 0) return "decided";
      if (trust !== "owner") return "forbidden";
      pending.splice(at, 1);
      return "done";
    },
  };
  const store = createMemoryStore();
  const people = new LetIn("mail", { people: { allowed: ["1"], owners: [] }, pairing: false }, () => store);
  const questions = new OpenQuestions<string>({
    channel: "mail",
    approvals,
    people,
    settle: async (place, words) => void settled.push(`${place}: ${words.split("\n").at(-1)}`),
  });
  const press: Desk["press"] = (data, id = "1") => questions.press({ data, sender: { id }, conversation });
  return { questions, pending, decided, settled, press };
}

const asks = (place: string) => async (stands: (place: string) => void) => {
  stands(place);
  return sent;
};
const idOf = (n: number): string => n.toString(16).padStart(16, "0");
const yes = "a:0123456789abcdef:allow";
const no = "a:0123456789abcdef:deny";

test("CC-14: the owner's press decides, and the question is settled where it stands, once", async () => {
  const { questions, settled, press } = desk();
  expect(await questions.ask(request(), asks("here"))).toEqual(sent);
  expect(await press(no)).toEqual({ notice: "Denied.", decided: true, forgotten: false });
  await questions.settled(request(), "deny");
  expect(settled).toEqual(["here: ✘ Denied."]);
});

test("CC-14: a stranger, a second press and a button of something else decide nothing, and each is told", async () => {
  const { questions, decided, settled, press } = desk();
  await questions.ask(request(), asks("here"));
  expect(await press(yes, "7")).toMatchObject({ notice: expect.stringContaining("owner"), decided: false });
  expect(await press("drop table")).toEqual({ notice: deadButton, decided: false, forgotten: false });
  expect([decided, settled]).toEqual([["mail:7 guest allow"], []]);
  await press(yes);
  expect(await press(no)).toMatchObject({ notice: "This was decided already.", decided: false });
  expect(settled).toEqual(["here: ✔ Allowed."]);
});

test("CC-14: where questions lie on another machine, one of two presses at once decides, and its decision is shown", async () => {
  const { questions, settled, press } = desk();
  await questions.ask(request(), asks("here"));
  const [first, second] = await Promise.all([press(no), press(yes)]);
  expect(first).toEqual({ notice: "Denied.", decided: true, forgotten: false });
  expect(second).toMatchObject({ notice: "This was decided already.", decided: false });
  expect(settled).toEqual(["here: ✘ Denied."]);
});

test("CC-14: of a question that an earlier process asked, the channel is told to take the buttons away", async () => {
  const { pending, settled, press } = desk();
  pending.length = 0;
  expect(await press(yes)).toMatchObject({ decided: false, forgotten: true });
  expect(settled).toEqual([]);
});

test("CC-14: what is decided while the question is on its way is settled once it stands, or never where it was not sent", async () => {
  const { questions, settled, press } = desk();
  await questions.ask(request(), async (stands) => {
    expect(await press(yes)).toMatchObject({ decided: true, forgotten: false });
    await questions.settled(request(), "allow");
    expect(settled).toEqual([]);
    stands("here");
    return sent;
  });
  expect(settled).toEqual(["here: ✔ Allowed."]);
  await questions.ask(request(), async () => {
    await questions.settled(request(), "deny");
    return { status: "refused", reason: "no" };
  });
  expect(settled).toHaveLength(1);
});

test("CC-14: no more than a thousand questions are remembered, the oldest is forgotten first", async () => {
  const { questions, settled } = desk();
  for (let n = 0; n <= 1_000; n += 1) await questions.ask(request(idOf(n)), asks(`at ${n}`));
  await questions.settled(request(idOf(0)), "deny");
  await questions.settled(request(idOf(1)), "deny");
  expect(settled).toEqual(["at 1: ✘ Denied."]);
});
