import { assert, property, string } from "fast-check";
import {
  ToolQuestions,
  toolQuestionText,
  type Plugin,
  type ToolAnswer,
  type ToolQuestion,
  type TurnEvent,
  type WordsWanted,
} from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import askWords from "../plugins/ask-words/index.ts";
import { gate, tool } from "./helpers/plugins.ts";

/** A tool that asks for words and keeps what came of it. */
function asking(
  answers: (ToolAnswer | "nobody" | Error)[],
  wanted: WordsWanted = { text: "Which one?" },
): Plugin {
  const run = async ({ ask }: Parameters<Parameters<typeof tool>[1]>[0]) => {
    const answer = await (ask ? ask(wanted) : ("nobody" as const)).valueOf();
    answers.push(answer as ToolAnswer);
    return "asked";
  };
  return tool("wonder", (given) => run(given).catch((error: Error) => (answers.push(error), "failed")));
}

const model = () => fakeProvider([{ calls: [{ name: "wonder", args: {} }] }, "done"]);
const by = { user: "cli:test" };

/** Answers each question of a turn as it comes. */
function answering(t: TestHost, answer: (question: ToolQuestion, open: ToolQuestions) => unknown) {
  const onEvent = (event: TurnEvent): void => {
    if (event.type === "tool_question") void answer(event.question, t.slot(ToolQuestions));
  };
  return { approvals: "ask" as const, onEvent };
}

/** A host whose owner alice is asked in a channel, once the question is there. */
async function asked(answers: (ToolAnswer | "nobody" | Error)[], wanted?: WordsWanted) {
  const channel = fakeChannel("fake", { owners: ["alice", "carol"] });
  const script = model();
  const t = await startTestHost({
    plugins: [askWords, asking(answers, wanted), channel, script, memoryStore()],
  });
  await t.serve();
  return { t, channel, script };
}

test("SDK-15: a person's next message in their chat answers a tool, and the model never sees it", async () => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  const { t, channel, script } = await asked(answers);
  await using _ = t;
  await channel.receive({ text: "go" });
  await channel.sentCount(1);
  expect(channel.sent[0]?.text).toContain("The tool wonder asks, in its own words:\n| Which one?");
  expect(channel.parts[0]).toMatchObject([{ verbatim: true }]);
  expect(await channel.receive({ text: "the secret one", id: "answer" })).toBe("accepted");
  await channel.sentCount(2);
  expect(answers).toEqual([{ action: "accept", content: { text: "the secret one" } }]);
  await channel.receive({ text: "the secret one", id: "answer" });
  await channel.receive({ text: "/none" });
  await channel.sentCount(3);
  expect(JSON.stringify([script.requests, t.audit])).not.toContain("the secret one");
  const record = t.audit.find(({ event_type }) => event_type === "tool_question");
  expect(record).toMatchObject({ args: { text: "Which one?" }, result: "accept by fake:alice" });
});

test("SDK-15: nobody else answers a tool: no other owner there, not its person elsewhere, no earlier message", async () => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  const { t, channel } = await asked(answers);
  await using _ = t;
  const conversation = { id: "alice", kind: "direct" } as const;
  await channel.receive({ text: "go", conversation, replyTo: "alice" });
  await channel.sentCount(1);
  await channel.receive({ text: "carol's", from: "carol", conversation, replyTo: "alice" });
  await channel.receive({ text: "elsewhere", conversation: { id: "lab", kind: "group" } });
  await channel.receive({ text: "earlier", conversation, replyTo: "alice", timestamp: 1 });
  const open = t.slot(ToolQuestions);
  const here = { user: "fake:alice", conversation: "fake:alice" };
  const [{ id }] = open.pending(here) as [ToolQuestion];
  expect(await open.answer(id, "x", { user: "fake:carol", conversation: "fake:alice" })).toEqual({
    outcome: "forbidden",
  });
  expect(await open.answer(id, "x", { ...here, conversation: "fake:lab" })).toEqual({ outcome: "forbidden" });
  expect(answers).toEqual([]);
  await channel.receive({ text: "mine", conversation, replyTo: "alice" });
  await expect.poll(() => answers).toEqual([{ action: "accept", content: { text: "mine" } }]);
});

test("SDK-15: in a group an answer needs the id of its question", async () => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  const { t, channel } = await asked(answers);
  await using _ = t;
  const conversation = { id: "lab", kind: "group" } as const;
  await channel.receive({ text: "go", conversation });
  await channel.sentCount(1);
  await channel.receive({ text: "talk", conversation });
  const [{ id }] = t.slot(ToolQuestions).pending({ user: "fake:alice", conversation: "fake:lab" }) as [
    ToolQuestion,
  ];
  expect(answers).toEqual([]);
  await channel.receive({ text: `${id.slice(0, 6)} plum`, conversation });
  await expect.poll(() => answers).toEqual([{ action: "accept", content: { text: "plum" } }]);
});

test("SDK-15: a late answer, a second one and an unknown id change nothing and say so", async () => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  await using t = await startTestHost({ plugins: [askWords, asking(answers), model()] });
  const outcomes: unknown[] = [];
  const { opened, open } = gate();
  const turn = t.ask(
    "go",
    answering(t, async ({ id }, questions) => {
      for (const said of ["first", "second"]) outcomes.push(await questions.answer(id, said, by));
      outcomes.push(await questions.answer("0123456789abcdef", "x", by));
      open();
    }),
  );
  await opened;
  await turn;
  expect(outcomes.map((one) => (one as { outcome: string }).outcome)).toEqual(["done", "decided", "unknown"]);
  expect(answers).toEqual([{ action: "accept", content: { text: "first" } }]);
});

test("SDK-15: a turn that is cancelled cancels its question, and an answer behind it is too late", async () => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  await using t = await startTestHost({ plugins: [askWords, asking(answers), model()] });
  const stop = new AbortController();
  let id = "";
  const person = answering(t, (question) => ((id = question.id), stop.abort()));
  const turn = await t.ask("go", { ...person, signal: stop.signal });
  expect(turn.error?.code).toBe("TURN_CANCELLED");
  await expect.poll(() => answers).toEqual([{ action: "cancel" }]);
  expect(await t.slot(ToolQuestions).answer(id, "late", by)).toEqual({ outcome: "decided" });
});

test("SDK-15: a question that nobody answers in time is cancelled", async () => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  const plugins = [askWords, asking(answers), model()];
  await using t = await startTestHost({ plugins, timeouts: { approval: 1 } });
  await t.ask(
    "go",
    answering(t, () => {}),
  );
  expect(answers).toEqual([{ action: "cancel" }]);
});

test("SDK-15: a question that the platform does not take is cancelled at once", async () => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  const { t, channel } = await asked(answers);
  await using _ = t;
  channel.outcomes.push({ status: "refused", reason: "no" });
  await channel.receive({ text: "go" });
  await channel.sentCount(1);
  expect(answers).toEqual([{ action: "cancel" }]);
});

test.each(["yes", "none"] as const)("SDK-15: with approvals %s nobody can be asked", async (approvals) => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  await using t = await startTestHost({ plugins: [askWords, asking(answers), model()] });
  await t.ask("go", { approvals, onEvent: () => {} });
  expect(answers).toEqual(["nobody"]);
});

test("SDK-15: a member of a channel, who approves nothing, is asked nothing", async () => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  const { t, channel } = await asked(answers);
  await using _ = t;
  await channel.receive({ text: "go", from: "bob" });
  await channel.sentCount(1);
  expect(answers).toEqual(["nobody"]);
});

const form = {
  type: "object",
  properties: { name: { type: "string" }, count: { type: "integer" }, sure: { type: "boolean" } },
  required: ["name", "count"],
} as const;

test.each([
  ["name: Ada\ncount: 3\nsure: yes", { name: "Ada", count: 3, sure: true }],
  [
    { name: "Ada", count: 3 },
    { name: "Ada", count: 3 },
  ],
  ["name: Ada", undefined],
  ["name: Ada\ncount: many", undefined],
  ["name: Ada\ncount: 3\nother: x", undefined],
  [{ name: "Ada", count: "3" }, undefined],
  ["__proto__: x\nname: a\ncount: 1", undefined],
])(
  "SDK-15: an answer %j fits the form or is sent back, and the question stays open",
  async (said, content) => {
    const answers: (ToolAnswer | "nobody" | Error)[] = [];
    await using t = await startTestHost({
      plugins: [askWords, asking(answers, { text: "Who?", form }), model()],
    });
    const first: unknown[] = [];
    await t.ask(
      "go",
      answering(t, async ({ id }, open) => {
        first.push((await open.answer(id, said, by)).outcome);
        await open.answer(id, { action: "decline" }, by);
      }),
    );
    expect(first).toEqual([content ? "done" : "wrong"]);
    expect(answers).toEqual([content ? { action: "accept", content } : { action: "decline" }]);
  },
);

test.each([
  [{ text: "" }],
  [{ text: "x".repeat(2_001) }],
  [{ text: "Open", url: "javascript:alert(1)" }],
  [{ text: "Open", url: "http://example.com/" }],
  [{ text: "Who?", form: { type: "object", properties: { a: { type: "array" } } } }],
  [{ text: "Who?", form: { type: "object", properties: { a: { type: "string", pattern: "(a+)+$" } } } }],
])("SDK-15: what cannot be asked is the tool's error and no question (case %#)", async (wanted) => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  await using t = await startTestHost({ plugins: [askWords, asking(answers, wanted as never), model()] });
  const seen: unknown[] = [];
  await t.ask(
    "go",
    answering(t, (question) => seen.push(question)),
  );
  expect(answers).toMatchObject([{ code: "TOOL_BAD_QUESTION" }]);
  expect(seen).toEqual([]);
});

test("HSE-01: without a plugin that puts questions a tool that asks gets an error that says so", async () => {
  const answers: (ToolAnswer | "nobody" | Error)[] = [];
  await using t = await startTestHost({ plugins: [asking(answers), model()] });
  await t.ask("go", { approvals: "ask", onEvent: () => {} });
  expect(answers).toMatchObject([{ code: "SLOT_EMPTY", message: expect.stringContaining("tool-questions") }]);
});

test("SDK-15: whatever a tool asks, each of its lines stands behind a margin", () => {
  const question = { id: "a", session: "s", user: "u", tool: "t", expires: "" };
  assert(
    property(string(), string(), (text, more) => {
      const lines = toolQuestionText({ ...question, text: `${text}\n${more}`, url: "https://a.example/" });
      const own = lines.split("\n").filter((line) => !line.startsWith("| "));
      return own.length === 2;
    }),
  );
});

test("SDK-15: a tool that has ended asks nothing more, and what it left open is cancelled", async () => {
  const answers: (ToolAnswer | undefined)[] = [];
  let late: (() => Promise<ToolAnswer> | undefined) | undefined;
  const seen: string[] = [];
  const leaving = tool("wonder", async ({ ask }) => {
    void ask?.({ text: "Left open?" }).then((answer) => answers.push(answer));
    late = () => ask?.({ text: "Too late?" });
    await shown.opened;
    return "gone";
  });
  const shown = gate();
  await using t = await startTestHost({ plugins: [askWords, leaving, model()] });
  const person = answering(t, ({ text }) => (seen.push(text), shown.open()));
  await t.ask("go", person);
  await expect.poll(() => answers).toEqual([{ action: "cancel" }]);
  expect(await late?.()).toEqual({ action: "cancel" });
  expect(seen).toEqual(["Left open?"]);
});

test("SDK-15: of one person 16 questions of tools wait at a time, and one more is refused", async () => {
  const wondering = tool("wonder", async ({ ask }: Parameters<Parameters<typeof tool>[1]>[0]) => {
    const asked = Array.from({ length: 17 }, async () => (await ask?.({ text: "Which?" }))?.action);
    const told = asked.map((one) => one.catch(({ code }: { readonly code: string }) => code));
    return (await Promise.all(told)).join(" ");
  });
  const script = model();
  const t = await startTestHost({ plugins: [askWords, wondering, script, memoryStore()] });
  await using _ = t;
  const shown: ToolQuestion[] = [];
  const onEvent = (event: TurnEvent): void => {
    if (event.type === "tool_question") shown.push(event.question);
  };
  const turn = t.ask("go", { approvals: "ask", onEvent });
  await expect.poll(() => shown.length).toBe(16);
  for (const { id } of shown) await t.slot(ToolQuestions).answer(id, "words", by);
  await turn;
  const result = JSON.stringify(script.requests[1]?.messages.at(-1));
  expect(result.match(/accept|TOOL_MANY_QUESTIONS/g)?.toSorted()).toEqual([
    "TOOL_MANY_QUESTIONS",
    ...Array<string>(16).fill("accept"),
  ]);
});
