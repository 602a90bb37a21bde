import { existsSync, readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import type { Plugin } from "@gantry/sdk";
import { bundledPlugin, checkPlugin, fakeNet, fillersFor, startTestHost } from "@gantry/sdk/testing";
import { pluginNames } from "../../test/helpers/sources.ts";
import { readFacts } from "./facts.ts";
import { linux } from "./isolated.test-kit.ts";
import { standIn } from "./stand-in.ts";

const built = new URL("../../host/dist/plugins/", import.meta.url);
const names = pluginNames().toSorted();

/** Reasons that keep bundled plugins in the service. */
const cannot: Readonly<Record<string, string>> = {
  "agent-routes": "needs the slot config-file",
  "agent-skills": "it reads the skills that stand in folders",
  "alert-owner": "needs the slot checks",
  "ask-words": "provides the slot tool-questions",
  "audit-file": "provides the slot audit-sinks",
  "channel-chatapp": "needs the slot people",
  "channel-discord": "needs the slot people",
  "channel-email": "needs the slot people",
  "channel-slack": "needs the slot people",
  "channel-telegram": "needs the slot people",
  "command-doctor": "needs the slot checks",
  "command-inbox": "needs the slot redactors",
  "command-onboard": "needs the slot config-file",
  "command-plugins": "needs the slot config-file",
  "config-edit": "provides the slot config-editor",
  "console-web": "needs the slot config-file",
  "editor-acp": "needs the slot tool-questions",
  "gateway-http": "needs the slot checks",
  "gateway-openai": "needs the slot agents",
  "goal-turns": "needs the slot standings",
  "guard-commands": "provides the slot shell-reader",
  "guard-flow": "it looks at the files of the workspace",
  "guard-network": "needs the slot shell-reader",
  "guard-paths": "needs the slot shell-reader",
  "history-compact": "needs the slot config-file",
  "inbox-worker": "provides the slot message-worker",
  "isolated-plugins": "it is what isolates",
  "mcp-client": "needs the slot config-file",
  "mcp-server": "needs the slot tool-questions",
  "metrics-prometheus": "needs the slot model-router",
  "net-undici": "provides the slot net",
  "prompt-instructions": "it reads the instructions in the workspace",
  "provider-chat-completions": "needs the slot config-file",
  "provider-demo": "needs the slot config-file",
  "provider-genlang": "needs the slot loopback",
  "provider-router": "needs the slot config-file",
  "redact-secret-files": "it reads the secret files of the workspace",
  "sandbox-landlock": "provides the slot sandbox",
  "scheduled-jobs": "needs the slot agents",
  "service-manager": "it starts programs of the system",
  "service-upgrade": "it replaces the program itself",
  "store-postgres": "provides the slot media",
  "store-sqlite": "provides the slot media",
  "tool-browser": "it keeps a browser running",
  "tool-delegate": "needs the slot agents",
  "tool-files": "it keeps files from before an edit",
  "tool-index": "standsFor() of what it gives tools must answer at once",
  "tool-memory": "needs the slot agents",
  "tool-peripherals": "it opens devices",
};
/** The rest in the long form: each starts some ten processes. */
const inShort: readonly string[] = ["guard-limits", "redact-pii", "usage-ledger"];

function isolated(name: string): Plugin {
  const facts = readFacts(name, readFileSync(new URL(`${name}/facts.json`, built), "utf8"));
  const base = new URL("isolated-plugins/index.js", built).href;
  return standIn(facts, { base, entry: name, folder: undefined });
}

async function check(name: string): Promise<readonly string[]> {
  const bundled = await Promise.all(names.map(bundledPlugin));
  const sandbox = await bundledPlugin("sandbox-landlock");
  const file = new URL(`../${name}/example.toml`, import.meta.url);
  const { findings } = await checkPlugin({
    plugin: isolated(name),
    with: fillersFor(await bundledPlugin(name), bundled, [sandbox]),
    config: existsSync(file) ? parse(readFileSync(file, "utf8")) : {},
    patienceMs: 45_000,
  });
  return findings.map(({ message }) => message);
}

test("ISO-01: a bundled plugin that cannot run isolated says why before anything runs", () => {
  const refused = names.flatMap((name) => {
    try {
      isolated(name);
      return [];
    } catch (error) {
      return [[name, (error as Error).message] as const];
    }
  });
  const said = Object.entries(cannot).filter(([name]) => name !== "tool-index");
  expect(Object.fromEntries(refused)).toEqual(
    Object.fromEntries(said.map(([name, why]) => [name, expect.stringContaining(why)])),
  );
});

test.runIf(linux)(
  "ISO-01: one that shows only in its setup says why then",
  { timeout: 300_000 },
  async () => {
    expect((await check("tool-index")).join()).toContain(cannot["tool-index"]);
  },
);

test.runIf(linux)(
  "ISO-01: web_fetch reads a page from a process of its own",
  { timeout: 180_000 },
  async () => {
    const page = { headers: { "content-type": "text/html" }, body: "<title>One</title><p>Read me." };
    const net = fakeNet([{ url: "https://one.test/", replies: [page] }]);
    const plugins = [await bundledPlugin("sandbox-landlock"), isolated("tool-web"), net];
    await using t = await startTestHost({ plugins });
    expect((await t.call("web_fetch", { url: "https://one.test/" })).text).toContain("Read me.");
  },
);

const isLong = process.env["GANTRY_LONG"] !== undefined;
const can = names.filter((name) => !Object.hasOwn(cannot, name));
test.runIf(linux).for(isLong ? can : inShort)(
  "ISO-01: %s keeps the contract of its kind in a process of its own",
  { timeout: 300_000 },
  async (name) => expect(await check(name)).toEqual([]),
);
