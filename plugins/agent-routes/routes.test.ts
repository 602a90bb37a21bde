import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Checks, Commands, type CommandContext } from "@gantry/sdk";
import { fakeChannel, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { array, assert, asyncProperty, constantFrom, option, record } from "fast-check";
import { expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { gantry, tempDir } from "../../test/helpers/cli.ts";
import plugin from "./index.ts";

const agents = { a: {}, b: {}, c: {}, d: {}, e: {} };

function opened(config: object): Promise<TestHost> {
  return startTestHost({
    plugins: [plugin, memoryStore(), fakeChannel("chat"), fakeChannel("mail")],
    config: { ...config },
  });
}

/** Returns what `route explain --json` prints. */
async function explained(t: TestHost, user: string, conversation?: string) {
  const lines: string[] = [];
  const options = { json: true, ...(conversation !== undefined && { conversation }) };
  const context = { args: [user], options, out: (line: string) => void lines.push(line) };
  await t
    .slot(Commands)
    .get("route explain")
    ?.run(context as unknown as CommandContext);
  return JSON.parse(lines.join("")) as { agent: string | null; fits: number[]; chosen: string | null };
}

const routes = [
  { agent: "a" },
  { channel: "chat", agent: "b" },
  { channel: "chat", person: 42, agent: "c" },
  { channel: "chat", conversation: "room", agent: "d" },
  { channel: "chat", conversation: "room#thread", agent: "e" },
];

test.each([
  ["mail:1", undefined, "a"],
  ["chat:1", undefined, "b"],
  ["chat:42", undefined, "c"],
  ["chat:42", "room", "d"],
  ["chat:42", "hall", "b"],
  ["chat:1", "room#thread", "e"],
  ["chat:1", "room#other", "d"],
])("AGT-14: of routes the most specific wins: %s in %s is answered by %s", async (user, place, agent) => {
  await using t = await opened({ agents, routes });
  expect((await explained(t, user, place)).agent).toBe(agent);
});

test("AGT-14: a person of [people] has one agent at all of their doors", async () => {
  const people = { anna: { role: "owner", chat: [7], mail: ["anna@example.org"] } };
  await using t = await opened({ agents, people, routes: [{ person: "anna", agent: "a" }] });
  expect((await explained(t, "chat:7")).agent).toBe("a");
  expect((await explained(t, "mail:anna@example.org")).agent).toBe("a");
  expect((await explained(t, "chat:8")).agent).toBe(null);
});

test("AGT-14: in a group a person has no agent of their own unless the route names the group", async () => {
  const own = { channel: "chat", person: 42, agent: "a" };
  await using t = await opened({ agents, routes: [own, { ...own, conversation: "room", agent: "b" }] });
  expect((await explained(t, "chat:42", "hall")).agent).toBe(null);
  expect((await explained(t, "chat:42", "room")).agent).toBe("b");
});

const place = constantFrom("chat", "mail");
const routeOf = record(
  {
    channel: place,
    person: constantFrom("1", "2"),
    conversation: constantFrom("1", "room"),
  },
  { requiredKeys: [] },
);

/** A route as somebody reads it, to compare with: each key that stands there must fit. */
function weightOf(
  route: { channel?: string; person?: string; conversation?: string },
  [channel, person, conversation]: readonly [string, string, string],
): number {
  const isGroup = conversation !== person;
  if (route.channel !== undefined && route.channel !== channel) return -1;
  if (route.person !== undefined && route.person !== person) return -1;
  if (route.conversation !== undefined && route.conversation !== conversation) return -1;
  if (isGroup && route.person !== undefined && route.conversation === undefined) return -1;
  return [route.channel, route.person, route.conversation].reduce(
    (sum, key, at) => sum + (key === undefined ? 0 : 2 ** at),
    0,
  );
}

test("AGT-14: for any routes the explanation names the most specific that fits", async () => {
  const asked = record({
    channel: place,
    person: constantFrom("1", "2"),
    room: option(constantFrom("room")),
  });
  const property = asyncProperty(array(routeOf, { maxLength: 8 }), asked, async (given, { room, ...who }) => {
    const known = new Set<string>();
    const kept = given.filter((route) => {
      const key = JSON.stringify([route.channel, route.person, route.conversation]);
      const isUsable = route.channel !== undefined || Object.keys(route).length === 0;
      return isUsable && !known.has(key) && known.add(key) !== undefined;
    });
    const numbered = kept.map((route, at) => ({ ...route, agent: `agent-${at}` }));
    const named = Object.fromEntries(numbered.map(({ agent }) => [agent, {}]));
    await using t = await opened({ agents: { ...named, z: {} }, routes: numbered });
    const conversation = room ?? who.person;
    const weights = kept.map((route) => weightOf(route, [who.channel, who.person, conversation]));
    const best = Math.max(-1, ...weights);
    const { agent } = await explained(t, `${who.channel}:${who.person}`, room ?? undefined);
    expect(agent).toBe(best < 0 ? null : `agent-${weights.indexOf(best)}`);
  });
  await assert(property, { numRuns: process.env["GANTRY_LONG"] ? 1_000 : 100 });
});

test.each([
  [{ routes: [{ agent: "reseacher" }] }, "ROUTE_NO_AGENT", "did you mean `researcher`?"],
  [{ routes: [{ person: "ana", agent: "researcher" }] }, "ROUTE_NO_PERSON", "did you mean `anna`?"],
  [{ routes: [{ channel: "chatt", agent: "researcher" }] }, "ROUTE_NO_CHANNEL", "did you mean `chat`?"],
  [{ routes: [{ conversation: 1, agent: "researcher" }] }, "ROUTE_NO_PLACE", "add `channel`"],
  [{ routes: [{ agent: "researcher" }, { agent: "researcher" }] }, "ROUTE_TWICE", "Routes 1 and 2"],
  [{ agents: { Researcher: {} } }, "AGENT_BAD_NAME", "agents.Researcher"],
  [{ agents: { default: {} } }, "AGENT_BAD_NAME", "agents.default"],
  [{ agents: { r: { autonomy_level: "autonomous" } } }, "AGENT_WIDER", "semi-autonomous"],
  [{ agents: { r: { workspace: "../r" } } }, "AGENT_OUTSIDE", "name a folder in it"],
])(
  "AGT-14: what is wrong with agents and routes stops the start and says why: %o",
  async (given, code, cure) => {
    const people = { anna: { role: "owner", chat: [7] } };
    const config = { people, agents: { researcher: {} }, ...given };
    const failed = await opened(config).then(
      (t) => t.stop().then(() => undefined),
      (error: Error & { code: string }) => error,
    );
    expect(failed).toMatchObject({ code });
    expect(failed?.message).toContain(cure);
  },
);

test("AGT-14: all that is wrong with agents and routes is told at once", async () => {
  const wrong = { agents: { r: { workspace: "/" } }, routes: [{ agent: "x" }, { person: "y", agent: "r" }] };
  await expect(opened(wrong)).rejects.toThrow(/is \/, which[^]*Route 1[^]*Route 2/);
});

test("AGT-14: a tool of an agent that nobody offers is a warning with the nearest", async () => {
  const look = tool("look", async () => "");
  const config = { agents: { a: { tools: ["lok", "look"] } } };
  await using t = await startTestHost({ plugins: [plugin, memoryStore(), look], config });
  const rows = await t.slot(Checks).get("agents")?.run(AbortSignal.timeout(60_000));
  expect(rows).toMatchObject([{ state: "warn", cure: "write `look`, or take it out" }]);
  await t.serve();
  await expect
    .poll(() => t.logs.map(({ message }) => message).join())
    .toContain("agents.a.tools names `lok`");
});

test("AGT-14: the folder of an agent is made in the workspace, and never through a link out of it", async () => {
  await using t = await opened({ agents: { a: { workspace: "deep/a" } } });
  expect(() => mkdirSync(path.join(t.runtime.workspace, "deep/a"))).toThrow("EEXIST");
  using temp = tempDir();
  const { dir } = temp;
  const workspace = path.join(dir, "workspace");
  mkdirSync(path.join(dir, "elsewhere"));
  mkdirSync(workspace);
  symlinkSync("../elsewhere", path.join(workspace, "link"));
  const config = { agents: { a: { workspace: "link/a" } }, security: { workspace_path: workspace } };
  await expect(opened(config)).rejects.toMatchObject({ code: "AGENT_FOLDER" });
  expect(() => mkdirSync(path.join(dir, "elsewhere/a"))).not.toThrow();
});

test("AGT-14: gantry route explain says who answers somebody and by which route; a wrong name stops it", async () => {
  using temp = tempDir();
  const { dir } = temp;
  const write = (agent: string): void =>
    writeFileSync(
      path.join(dir, "config.toml"),
      `[agents.support]\ntools = ["memory_recall"]\n\n[[routes]]\nchannel = "telegram"\nagent = "support"\n\n` +
        `[[routes]]\nchannel = "telegram"\nperson = 42\nagent = "${agent}"\n`,
    );
  // Without a table of agents there is nothing of them.
  const none = await gantry(["route", "explain", "telegram:42"], { dir });
  expect([none.code, none.out]).toEqual([2, ""]);
  write("support");
  const { code, out } = await gantry(["route", "explain", "telegram:42"], { dir });
  expect([code, out]).toEqual([
    0,
    'telegram:42 is answered by the agent support: route 2 (channel = "telegram", person = 42) is the most specific that fits.\n' +
      'Route 1 (channel = "telegram") fits, too.\n',
  ]);
  write("suport");
  const wrong = await gantry(["route", "explain", "telegram:42"], { dir });
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain(
    "Route 2 of [[routes]] names the agent `suport`, and there is none of that name",
  );
  expect(wrong.err).toContain("(did you mean `support`?)");
});
