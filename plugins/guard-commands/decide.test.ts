import * as grammar from "unbash";
import { expect, test } from "vitest";
import { blockedFrom } from "./blocked.ts";
import { cases } from "./cases.test-kit.ts";
import { judge } from "./decide.ts";
import { readShell } from "./reading.ts";

const say = (command: string, blocked = ["rm", "id", "curl", "who"]) => {
  const { refusal, doubt } = judge(readShell(command, grammar), blockedFrom(blocked));
  if (refusal) return `refuse ${refusal.code}`;
  return doubt === undefined ? "allow" : "ask";
};
const wrong = (list: readonly string[], right: (answer: string) => boolean) =>
  list.map((command) => [command, say(command)] as const).filter(([, answer]) => !right(answer));

test("SEC-03: a blocked command is refused wherever the shell would run it, and so is what changes what runs", () => {
  expect(wrong(cases.no, (answer) => answer.startsWith("refuse"))).toEqual([]);
});

test("SEC-04: what is known only at run time, or runs code that cannot be read, is never silently allowed", () => {
  expect(wrong(cases["?"], (answer) => answer !== "allow")).toEqual([]);
});

test("SEC-03: ordinary text is no alarm", () => {
  expect(wrong(cases.ok, (answer) => answer === "allow")).toEqual([]);
});
