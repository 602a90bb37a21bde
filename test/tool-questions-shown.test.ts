import {
  definePlugin,
  directMessage,
  Inbox,
  ToolQuestions,
  type Plugin,
  type Tool,
  type ToolAnswer,
  type ToolQuestion,
  type TurnEvent,
  type WordsWanted,
} from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import askWords from "../plugins/ask-words/index.ts";
import { redactor, tool } from "./helpers/plugins.ts";

const callOf = (name: string) => ({ calls: [{ name, args: {} }] });
const wanted: WordsWanted = {
  text: "Is 4111 yours?",
  url: "https://example.com/?id=4111",
  form: {
    type: "object",
    properties: { card: { type: "string", description: "not 4111", enum: ["4111", "none"] } },
  },
};

/** A tool that asks; it keeps what came of it. */
function asking(answers: unknown[] = [], timeoutMs: number = 60_000): Plugin {
  const run = async ({ ask }: { ask?: (wanted: WordsWanted) => Promise<ToolAnswer> }) => {
    answers.push(await ask?.(wanted).catch((error: unknown) => error));
    return "asked";
  };
  return tool("wonder", run, { timeoutMs });
}

/** A tool that begins a turn of its own. */
function delegates(more: Partial<Tool> = {}): Plugin[] {
  let inbox: Inbox | undefined;
  const has = definePlugin({
    name: "has-inbox",
    needs: { inbox: Inbox },
    setup: ({ needs }) => void (inbox = needs.inbox),
  });
  const run: Tool["run"] = async ({ signal }) => {
    const message = directMessage({ channel: "fake", id: "inner", from: "alice", text: "ask" });
    return (await inbox?.prompt(message, { approvals: "ask", signal }))?.reply ?? "";
  };
  return [has, tool("delegate", run, more)];
}

/** Declines each question of a turn, and keeps it. */
function declining(t: TestHost, seen: ToolQuestion[]) {
  const onEvent = (event: TurnEvent): void => {
    if (event.type !== "tool_question") return;
    seen.push(event.question);
    void t.slot(ToolQuestions).answer(event.question.id, { action: "decline" }, { user: "cli:test" });
  };
  return { approvals: "ask" as const, onEvent };
}

/** A channel whose owner was asked something by a tool. */
async function askedInChannel(script: string[], ...plugins: Plugin[]) {
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const model = fakeProvider([...script.map(callOf), "done", "done"]);
  const all = [askWords, redactor(/4111/g), channel, model, memoryStore(), asking(), ...plugins];
  const t = await startTestHost({ plugins: all });
  await t.serve();
  await channel.receive({ text: "go" });
  await channel.sentCount(1);
  const by = { user: "fake:alice", conversation: "fake:alice" };
  const open = t.slot(ToolQuestions);
  const [question] = open.pending(by);
  await open.answer(question?.id ?? "", { action: "decline" }, by);
  return { t, channel, question };
}

test("SDK-15: a tool's question is redacted for its person, with its address and form", async () => {
  const { t, channel, question } = await askedInChannel(["wonder"]);
  await using _ = t;
  expect(question).toMatchObject({
    text: "Is [hidden] yours?",
    url: "https://example.com/?id=[hidden]",
    form: { properties: { card: { description: "not [hidden]", enum: ["[hidden]", "none"] } } },
  });
  expect(channel.sent[0]?.text).toContain("| Is [hidden] yours?");
  expect(JSON.stringify(channel.parts)).not.toContain("4111");
});

test("SDK-15: the question of a turn within a channel's turn is redacted for the channel", async () => {
  const { t, channel } = await askedInChannel(["delegate", "wonder"], ...delegates());
  await using _ = t;
  expect(channel.sent[0]?.text).toContain("| Is [hidden] yours?");
});

test("SDK-15: an owner who sees everything is asked in the tool's own words", async () => {
  const seen: ToolQuestion[] = [];
  const model = fakeProvider([callOf("wonder"), "done"]);
  await using t = await startTestHost({ plugins: [askWords, redactor(/4111/g), asking(), model] });
  await t.ask("go", declining(t, seen));
  expect(seen).toMatchObject([wanted]);
});

test("SDK-15: a question that cannot be redacted is put to nobody", async () => {
  const [seen, answers]: [ToolQuestion[], unknown[]] = [[], []];
  const model = fakeProvider([callOf("wonder"), "done"]);
  const failing = redactor({ [Symbol.replace]: (text: string) => failIn(text) } as unknown as RegExp);
  const config = { security: { redact_for_owner: true } };
  const plugins = [askWords, failing, asking(answers), model];
  await using t = await startTestHost({ plugins, config });
  await t.ask("go", declining(t, seen));
  expect(answers).toMatchObject([{ code: "REDACTION_FAILED" }]);
  expect(seen).toEqual([]);
});

function failIn(text: string): string {
  if (text.includes("4111")) throw new Error("out of order");
  return text;
}

const limit = { timeoutMs: 5_000 };
const calling = tool("calling", ({ call }) => call("wonder", {}), limit);

test.each([
  ["the tool itself", "wonder", asking([], limit.timeoutMs)],
  ["the tool that called it", "calling", asking(), calling],
  ["the tool in whose turn it runs", "delegate", asking(), ...delegates(limit)],
])("SDK-15: a question is open no longer than %s may run", async (_, name, ...plugins) => {
  const seen: ToolQuestion[] = [];
  const model = fakeProvider([callOf(name), callOf("wonder"), "done", "done"]);
  await using t = await startTestHost({ plugins: [askWords, model, ...plugins] });
  await t.ask("go", declining(t, seen));
  const left = Date.parse(seen[0]?.expires ?? "") - Date.now();
  expect(left).toBeLessThanOrEqual(limit.timeoutMs);
});
