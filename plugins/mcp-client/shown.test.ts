import { assert, asyncProperty, integer, nat, string } from "fast-check";
import { expect, test } from "vitest";
import { isAsAccepted } from "./acceptance.ts";
import { digestOf } from "./digest.ts";
import type { ListedPrompt, ListedTool } from "./listed.ts";
import { McpServer, type Found, type ServerNeeds } from "./server.ts";
import type { ServerFacts } from "./server-digest.ts";
import { settingsFrom } from "./settings.ts";
import { changedLines, shownOffer } from "./shown.ts";

const [settings] = settingsFrom({ small: { command: "/bin/server", tools: { hum: "off" } } });
// Nothing is started to show what was found.
const server = new McpServer(settings!, { configDir: "/nowhere", idleMs: 1 } as unknown as ServerNeeds);

type Start = Extract<ServerFacts["start"], { argv: unknown }>;
const start: Start = {
  argv: ["/bin/server", "--root", "/srv"],
  env: ["KEY"],
  files: ["1".repeat(64), null],
  installed: "2".repeat(64),
};
const reach = { domains: ["example.com"], read: ["/opt"], write: ["/srv"] };
const tool = (name: string): ListedTool => ({
  name,
  title: "A title",
  description: "Some words.",
  inputSchema: { type: "object", properties: { a: { type: "string" } } },
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
  execution: { taskSupport: "optional" },
});
const prompt: ListedPrompt = {
  name: "greet",
  description: "Greets.",
  arguments: [{ name: "whom", description: "A name.", required: true }],
};
const found: Found = {
  tools: [tool("sing"), tool("hum")],
  prompts: [prompt],
  resources: true,
  era: "modern",
  server: digestOf(start),
  start,
  reach,
};

type Change = (pick: number, by: string) => Partial<Found>;
const put = (list: readonly string[], pick: number, by: string): readonly string[] =>
  list.with(pick % list.length, by);
const started = (changed: Partial<Start>): Partial<Found> => {
  const now = { ...start, ...changed };
  return { start: now, server: digestOf(now) };
};
const ofTool = (key: keyof ListedTool, valueOf: (by: string) => unknown): Change => {
  return (pick, by) => ({
    tools: found.tools.with(pick % 2, { ...found.tools[pick % 2]!, [key]: valueOf(by) }),
  });
};
const ofPrompt = (more: (by: string) => Partial<ListedPrompt>): Change => {
  return (_, by) => ({ prompts: [{ ...prompt, ...more(by) }] });
};
const ofArgument = (more: (by: string) => object): Change =>
  ofPrompt((by) => ({ arguments: [{ ...prompt.arguments![0]!, ...more(by) }] }));

/** One change of a server, of each class that goes into its digest. */
const changes: readonly Change[] = [
  (pick, by) => started({ argv: put(start.argv, pick, by) }),
  (_, by) => started({ argv: [...start.argv, by] }),
  (pick, by) => started({ files: start.files.with(pick % 2, digestOf(by)) }),
  (_, by) => started({ env: [by] }),
  (_, by) => started({ env: [...start.env, by] }),
  (_, by) => started({ installed: digestOf(by) }),
  (_, by) => ({ reach: { ...reach, domains: [by] } }),
  (_, by) => ({ reach: { ...reach, read: [by] } }),
  (_, by) => ({ reach: { ...reach, write: [...reach.write, by] } }),
  (_, by) => {
    const far = { url: `https://example.com/${encodeURIComponent(by.toWellFormed())}`, headers: [by] };
    return { start: far, server: digestOf(far) };
  },
  () => ({ era: "legacy" }),
  () => ({ resources: false }),
  ofTool("name", (by) => by),
  ofTool("title", (by) => by),
  ofTool("description", (by) => by),
  ofTool("inputSchema", (by) => ({ type: "object", properties: { [by]: {} } })),
  ofTool("outputSchema", (by) => ({ type: "object", description: by })),
  ofTool("annotations", (by) => ({ title: by })),
  ofTool("execution", (by) => ({ taskSupport: by })),
  (_, by) => ({ tools: [...found.tools, { ...tool("new"), description: by }] }),
  (pick) => ({ tools: found.tools.toSpliced(pick % 2, 1) }),
  ofPrompt((name) => ({ name })),
  ofPrompt((title) => ({ title })),
  ofPrompt((description) => ({ description })),
  ofArgument((name) => ({ name })),
  ofArgument((description) => ({ description })),
  ofArgument(() => ({ required: false })),
  () => ({ prompts: [] }),
];
const textOf = (one: Found): string => shownOffer(server, one).join("\n");
const diffOf = async (one: Found): Promise<string> => (await changedLines(found, one)).join("\n");
const change = integer({ min: 0, max: changes.length - 1 });
const word = string({ unit: "binary" });

test("MCP-06: of any two states of a server with other digests the shown texts differ", async () => {
  await assert(
    asyncProperty(change, change, nat(9), word, word, async (one, other, pick, by, to) => {
      const a = { ...found, ...changes[one]!(pick, by) };
      const b = { ...found, ...changes[other]!(pick, to) };
      expect(textOf(a) === textOf(b)).toBe(digestOf(a) === digestOf(b));
      expect(textOf(a) === textOf(found)).toBe(digestOf(a) === digestOf(found));
    }),
    { numRuns: process.env["GANTRY_LONG"] ? 10_000 : 500 },
  );
});

test("MCP-06: whatever of a server is not what was accepted is in the diff", async () => {
  await assert(
    asyncProperty(change, nat(9), word, word, async (kind, pick, by, to) => {
      const [a, b] = [by, to].map((text) => ({ ...found, ...changes[kind]!(pick, text) }));
      expect((await diffOf(a!)) !== "").toBe(!isAsAccepted(found, a!));
      expect(isAsAccepted(found, a!)).toBe(digestOf(a) === digestOf(found));
      expect((await diffOf(a!)) === (await diffOf(b!))).toBe(digestOf(a) === digestOf(b));
    }),
    { numRuns: process.env["GANTRY_LONG"] ? 10_000 : 500 },
  );
});
