import { mkdirSync } from "node:fs";
import path from "node:path";
import {
  Agents,
  definePlugin,
  directMessage,
  Inbox,
  Observers,
  type Agent,
  type Autonomy,
  type Trust,
  type ToolCall,
} from "@gantry/sdk";
import { fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { array, assert, asyncProperty, constantFrom, integer, option, record } from "fast-check";
import { expect, test } from "vitest";
import { tool } from "./helpers/plugins.ts";

const levels = ["supervised", "semi-autonomous", "autonomous"] as const;
const folders = ["a", "a/deep", "b"];
const toolNames = ["hand", "look", "burn"];
const someTools = constantFrom(toolNames, ["hand", "look"], ["look", "burn"], ["look"], []);

/** Agents as a plugin might state them that checks nothing: wider than anything, too. */
function stating(agents: () => readonly Agent[], of?: () => Agent | undefined) {
  return definePlugin({
    name: "stated-agents",
    provides: [Agents],
    setup: (host) =>
      host.provide(Agents, {
        list: agents,
        of: ({ named }) => of?.() ?? agents().find(({ name }) => name === named),
      }),
  });
}

/** The view of one turn that guards and model have. */
interface Seen {
  readonly agent: string | undefined;
  readonly tools: readonly string[];
  readonly autonomy: Autonomy;
  readonly cwd: string;
  readonly material: readonly string[];
  readonly trust: Trust;
  readonly session: string;
}

interface Nested {
  readonly agent?: string | null;
  readonly tools?: readonly string[] | null;
  readonly workspace?: string | null;
}

const agentOf = record(
  {
    tools: someTools,
    autonomy: constantFrom(...levels),
    workspace: constantFrom(...folders, ".", "..", "/"),
    budget: record({ tokens: integer({ min: 1, max: 60 }) }),
  },
  { requiredKeys: [] },
);

/**
 * The powers of turns in each other, the outermost first, and the tokens of each with those within
 * it.
 */
interface Run {
  readonly seen: readonly Seen[];
  readonly spent: ReadonlyMap<string, number>;
  readonly workspace: string;
}

/** Runs turns in each other, each of which looks and hands on. */
async function nested(
  agents: readonly Agent[],
  turns: readonly Nested[],
  configured: Autonomy,
  trust: Trust,
): Promise<Run> {
  const seen: Seen[] = [];
  const model = fakeProvider([
    ({ messages, tools }) => {
      // A turn's first request looks, the second hands on if it may, the third is its answer.
      const told = messages.filter(({ role }) => role === "tool").length;
      const has = (name: string): boolean => tools.some((one) => one.name === name);
      if (told === 0) return { calls: [{ name: "look", args: {} }] };
      if (told === 1 && has("hand")) return { calls: [{ name: "hand", args: {} }] };
      return "done";
    },
  ]);
  const held: { inbox?: Inbox; depth: number } = { depth: 0 };
  const offered = (): readonly string[] => model.requests.at(-1)?.tools.map(({ name }) => name) ?? [];
  const hand = tool("hand", async ({ signal }) => {
    held.depth += 1;
    const { agent, tools, workspace } = turns[held.depth] ?? {};
    const message = directMessage({ channel: "x", id: crypto.randomUUID(), from: "x", text: "in" });
    const asked = {
      ...(agent && { agent }),
      ...(tools && { tools }),
      ...(workspace && { workspace }),
    };
    const options = { keep: false, approvals: "yes", signal, ...asked } as const;
    return (await held.inbox?.prompt(message, options))?.reply ?? "";
  });
  const watcher = definePlugin({
    name: "guard-watcher",
    taps: ["beforeToolCall"],
    setup: (host) =>
      host.hooks.beforeToolCall.tap(
        ({ agent, autonomy = configured, cwd, sources, trust: held, session, tool: name }: ToolCall) => {
          if (name !== "look") return;
          const material = [...(sources?.material ?? [])];
          seen.push({ agent, tools: offered(), autonomy, cwd, material, trust: held, session });
        },
      ),
  });
  const spent = new Map<string, number>();
  const outer = new Map<string, string>();
  const meter = definePlugin({
    name: "meter",
    provides: [Observers],
    setup: (host) =>
      host.provide(Observers, {
        name: "meter",
        modelAnswered({ session, within, inputTokens, outputTokens }) {
          if (within !== undefined) outer.set(session, within);
          for (let at: string | undefined = session; at !== undefined; at = outer.get(at))
            spent.set(at, (spent.get(at) ?? 0) + inputTokens + outputTokens);
        },
      }),
  });
  const look = tool("look", async () => "seen", { hints: { openWorld: true } });
  const plugins = [stating(() => agents), model, meter, hand, look, tool("burn", async () => ""), watcher];
  const config = { agent: { autonomy_level: configured } };
  await using t = await startTestHost({ plugins: [...plugins, memoryStore()], config });
  held.inbox = t.slot(Inbox);
  const { workspace } = t.runtime;
  for (const folder of folders) mkdirSync(path.join(workspace, folder), { recursive: true });
  const { agent } = turns[0] ?? {};
  const message = directMessage({ channel: "cli", id: "1", from: "test", text: "go", trust });
  const options = { approvals: "yes", signal: new AbortController().signal } as const;
  await held.inbox.prompt(message, { ...options, ...(agent && { agent }) }).catch(() => undefined);
  return { seen, spent, workspace };
}

test("AGT-10: AGT-14: a child is never wider than its parent, whatever agents say of themselves", async () => {
  const turn = record({
    agent: option(constantFrom("p", "q", "r")),
    tools: option(someTools, { freq: 2 }),
    workspace: option(constantFrom(...folders, "..", "/"), { freq: 1 }),
  });
  let deepest = 0;
  const property = asyncProperty(
    record({ p: agentOf, q: agentOf, r: agentOf }),
    array(turn, { minLength: 2, maxLength: 3 }),
    constantFrom(...levels),
    constantFrom<Trust>("owner", "member", "guest"),
    async (given, turns, configured, trust) => {
      const agents = Object.entries(given).map(([name, bounds]) => ({ name, ...bounds }) as Agent);
      const { seen, spent, workspace } = await nested(agents, turns, configured, trust);
      deepest = Math.max(deepest, seen.length);
      for (const [at, child] of seen.entries()) {
        const parent = seen[at - 1] ?? {
          tools: toolNames,
          autonomy: configured,
          cwd: workspace,
          material: [],
        };
        const own = agents.find(({ name }) => name === child.agent);
        expect(parent.tools).toEqual(expect.arrayContaining([...child.tools]));
        expect(own?.tools ?? toolNames).toEqual(expect.arrayContaining([...child.tools]));
        for (const level of [parent.autonomy, own?.autonomy ?? parent.autonomy])
          expect(levels.indexOf(child.autonomy)).toBeLessThanOrEqual(levels.indexOf(level));
        expect(`${child.cwd}/`.startsWith(`${parent.cwd}/`)).toBe(true);
        const folder = path.resolve(workspace, own?.workspace ?? ".");
        expect(`${child.cwd}/`.startsWith(`${folder}/`)).toBe(true);
        expect(child.trust).toBe(trust);
        const tokens = own?.budget?.tokens ?? Infinity;
        // The last answer may go beyond: it is looked at before each request.
        expect(spent.get(child.session)).toBeLessThan(tokens + 15);
        expect(child.material).toEqual(expect.arrayContaining([...parent.material]));
      }
    },
  );
  await assert(property, { numRuns: process.env["GANTRY_LONG"] ? 10_000 : 100 });
  expect(deepest).toBe(3);
}, 3_600_000);

const call = (name: string) => ({ calls: [{ name, args: {} }] });

test("AGT-14: in a turn within an agent's turn a mere label stands for nobody else", async () => {
  const seen: (string | undefined)[] = [];
  const held: { inbox?: Inbox } = {};
  const look = tool("look", async ({ agent }) => {
    seen.push(agent);
    return "";
  });
  const hand = tool("hand", async ({ signal }) => {
    const message = directMessage({ channel: "x", id: "1", from: "x", text: "in" });
    const options = { keep: false, approvals: "none", signal } as const;
    for (const agent of ["label", "q"]) await held.inbox?.prompt(message, { ...options, agent });
    return "";
  });
  const model = fakeProvider([call("hand"), call("look"), "in", call("look"), "in", "out", call("look"), ""]);
  const agents = stating(() => [{ name: "p" }, { name: "q" }]);
  await using t = await startTestHost({ plugins: [agents, model, look, hand, memoryStore()] });
  held.inbox = t.slot(Inbox);
  await t.ask("go", { agent: "p" });
  await t.ask("go", { agent: "label" });
  expect(seen).toEqual(["p", "q", "label"]);
});
