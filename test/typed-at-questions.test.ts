import { expect, test } from "vitest";
import { TerminalQuestions } from "../host/cli/terminal-questions.ts";

const expires = new Date(Date.now() + 90_000).toISOString();

test("SDK-15: a command typed at an approval is done as it was typed, and the question stays", async () => {
  const lines = ["/model Qwen/Qwen3-CODER", "Y"];
  const ran: string[] = [];
  const decided = Promise.withResolvers<unknown>();
  const shown = { preview: "sh x", lines: 1, commands: 1, reasons: [], warnings: [] };
  const request = { id: "a1", tool: "sh", args: {}, ...shown, session: "s", user: "cli:me", expires };
  const questions = new TerminalQuestions({
    approvals: {
      pending: async () => [request],
      decide: async (_: string, decision: string) => (decided.resolve(decision), "done"),
    } as never,
    ask: async () => lines.shift(),
    command: () => async (line) => void ran.push(line),
  });
  questions.tell({ type: "approval_request", request } as never);
  expect(await decided.promise).toBe("allow");
  expect(ran).toEqual(["/model Qwen/Qwen3-CODER"]);
});

test("SDK-15: a path that answers a tool's question is the answer, and no command", async () => {
  const ran: string[] = [];
  const answered = Promise.withResolvers<unknown>();
  const question = { id: "q1", tool: "t", user: "cli:me", session: "s", text: "Which folder?", expires };
  const lines = ["/home/me/Code"];
  const questions = new TerminalQuestions({
    approvals: {} as never,
    questions: {
      pending: () => [question],
      answer: async (_: string, said: unknown) => (answered.resolve(said), { outcome: "done" }),
    } as never,
    ask: async () => lines.shift(),
    command: () => async (line) => void ran.push(line),
  });
  questions.tell({ type: "tool_question", question } as never);
  expect(await answered.promise).toBe("/home/me/Code");
  expect(ran).toEqual([]);
});
