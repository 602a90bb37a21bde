import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/cli.ts";
import { live, startThinking, type Asked } from "../helpers/killed-service.ts";
import type { Answer } from "../helpers/model.ts";

const kills = process.env["GANTRY_LONG"] === undefined ? 3 : 40;
const tasks = ["a", "b", "c", "d"];
const cut = "The process ended while it was worked on";

/** Answers as a parent that hands tasks on and reads their results, and as the children. */
async function answer({ messages }: Asked): Promise<Answer> {
  const { role, content } = messages.at(-1) ?? { role: "", content: "" };
  if (messages[0]?.content.includes("You were handed one task") === true) {
    await wait(Math.random() * 60);
    return `result of ${content}`;
  }
  if (role === "tool") return messages.flatMap((one) => (one.role === "tool" ? one.content : [])).join("\n");
  const calls = tasks.map((task) => ({ name: "delegate", args: { task, background: true } }));
  return { calls: content.includes("go") ? calls : [{ name: "delegate_result", args: {} }] };
}

/** Reads which tasks a listing names, each with its result or how it stands. */
function read(listing: string): ReadonlyMap<string, string> {
  const found = listing.matchAll(/Task \d+ \((\w)\)[^\n:]*:\s*(result of \w|[^\n]*)/g);
  return new Map([...found].map(([, task = "", said = ""]) => [task, said]));
}

test(
  "AGT-10: kill -9 at any moment of background children loses no task and no result that was read",
  { timeout: 1_200_000 },
  async () => {
    await using model = await startThinking(answer);
    using home = tempDir(
      [
        `default_provider = "${model.provider}"`,
        'default_model = "m"',
        'extra_plugins = ["tool-delegate"]',
        '[security]\nauto_approve_tools = ["delegate", "delegate_result"]',
        "rate_limit_per_minute = 1000\nmax_actions_per_hour = 1000\nmax_actions_per_day = 1000",
        "[gateway]\nport = 0\nrequire_pairing = false\n",
      ].join("\n"),
    );
    const run = { dir: home.dir };
    let results = 0;
    let life = await live(run);
    for (let n = 0; n < kills; n += 1) {
      const session = `s${n}`;
      const begun = (await life.say(session, "go")) ?? "";
      const names = [...begun.matchAll(/Task (\d+) is being worked on/g)].map(([, id]) => id);
      expect(names).toHaveLength(tasks.length);
      const looked = wait(Math.random() * 60).then(() => life.say(session, "look"));
      await wait(Math.random() * 120);
      await life.end("SIGKILL");
      const before = read((await looked) ?? "");
      life = await live(run);
      const after = read((await life.say(session, "look")) ?? "");
      expect([...after.keys()].toSorted()).toEqual(tasks);
      for (const [task, said] of after) {
        const result = `result of ${task}`;
        const isKnown = said === result || (before.get(task) !== result && said.includes(cut));
        expect([task, said, isKnown]).toEqual([task, said, true]);
        if (said === result) results += 1;
      }
    }
    await life.end("SIGTERM");
    expect(results).toBeGreaterThan(0);
  },
);
