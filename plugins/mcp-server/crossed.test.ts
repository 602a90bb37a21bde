import type { ToolRun } from "@gantry/sdk";
import { expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { asking, connect, openDoor, textOf, type Door, type Era } from "./door.test-kit.ts";

const calls = 500;

/** Answers once so many calls run, the last of them first. */
function echoOf(together: number) {
  const waiting: (() => void)[] = [];
  return tool("echo", ({ args }: ToolRun<{ readonly word: string }>) => {
    const answer = Promise.withResolvers<string>();
    waiting.push(() => answer.resolve(args.word));
    if (waiting.length === together) for (const go of waiting.splice(0).toReversed()) go();
    return answer.promise;
  });
}

const wordsOf = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`);

/**
 * Returns what the calls of one client answer; their ids begin at zero, as those of every other
 * client do.
 */
async function answersOf(door: Door, device: string, era: Era): Promise<readonly string[]> {
  const client = await connect(door, era, { device });
  const all = wordsOf(device, calls).map((word) =>
    client.callTool({ name: "echo", arguments: { word } }, { timeout: 150_000 }),
  );
  return (await Promise.all(all)).map(textOf);
}

test.each([
  ["legacy", "legacy"],
  ["modern", "modern"],
  ["legacy", "modern"],
] as const)(
  "MCP-14: of 1,000 calls of two clients (%s, %s) with the same ids at once none is crossed",
  async (one, other) => {
    const door = await openDoor(["echo"], [echoOf(2 * calls)]);
    const found = await Promise.all([answersOf(door, "ana", one), answersOf(door, "ben", other)]);
    expect(found).toEqual([wordsOf("ana", calls), wordsOf("ben", calls)]);
  },
);

test.each(["legacy", "modern"] as const)(
  "MCP-14: each question comes to the client whose call it is about (%s)",
  async (era) => {
    const door = await openDoor(["echo"], [echoOf(1), asking("echo")]);
    const ask = async (name: string) => {
      const client = await connect(door, era, {
        elicit: ({ message }) => ({
          action: "accept",
          content: { decision: message.includes(`${name}-`) ? "allow" : "deny" },
        }),
      });
      const all = wordsOf(name, 10).map((word) => client.callTool({ name: "echo", arguments: { word } }));
      return (await Promise.all(all)).map(textOf);
    };
    const [ana, ben] = await Promise.all([ask("ana"), ask("ben")]);
    expect(ana).toEqual(wordsOf("ana", 10));
    expect(ben).toEqual(wordsOf("ben", 10));
  },
);
