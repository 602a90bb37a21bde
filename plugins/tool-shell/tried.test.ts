import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ResultFilters, Tools, definePlugin, defineTool } from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { startTrying } from "./tried.test-kit.ts";

const linux = process.platform === "linux";
/** Says another thing each time it runs. */
const counting = "date +%N >> log; cat log; echo new > added; sed -i s/one/two/ text; exit 3";

test.runIf(linux)(
  "RUN-04: the question shows what the command did, a yes makes that very run real",
  async (at) => {
    await using t = await startTrying(at);
    writeFileSync(path.join(t.workspace, "text"), "one\n");
    let during: readonly string[] = [];
    const { decision, text } = await t.shell(counting, () => {
      during = readdirSync(t.workspace).toSorted();
      return "allow";
    });
    const [question] = t.asked;
    const log = readFileSync(path.join(t.workspace, "log"), "utf8");
    expect(question?.preview.split("\n")).toEqual([
      "Tried first, without network: exit code 3. A yes makes it real, a no leaves nothing of it.",
      "Its changes: 1 changed, 2 added.",
      "  changed: text (4 bytes)",
      "  added: added (4 bytes)",
      `  added: log (${log.length} bytes)`,
      "It said:",
      `  > ${log.trim()}`,
      "The command:",
      `  $ ${counting}`,
    ]);
    expect(question?.diff).toContain("-one\n+two");
    expect(during).toEqual(["text"]);
    expect([decision, text]).toEqual(["approved", `${log.trim()}\n[exit code 3]`]);
    expect(readFileSync(path.join(t.workspace, "text"), "utf8")).toBe("two\n");
  },
);

const filter = (text: string) => ({ text: text.replaceAll("hunter2", "[gone]") });
const writing = "echo out; echo new > added";

test.runIf(linux)(
  "RUN-04: a no leaves nothing of it, and the model hears only that it was refused",
  async (at) => {
    await using t = await startTrying(at);
    const { decision, text } = await t.shell(writing, () => "deny");
    expect([decision, text]).toEqual(["refused", expect.stringContaining("was not approved")]);
    expect(text).not.toContain("out");
    expect([readdirSync(t.workspace), t.layers()]).toEqual([[], []]);
  },
);

test.runIf(linux)("RUN-04: a question that nobody answers leaves nothing of the command", async (at) => {
  await using t = await startTrying(at, { timeouts: { approval: 300 } });
  const { code } = await t.shell(writing, () => undefined);
  expect([code, readdirSync(t.workspace), t.layers()]).toEqual(["APPROVAL_EXPIRED", [], []]);
});

test.runIf(linux)("RUN-04: a turn that is stopped leaves nothing of its command", async (at) => {
  await using t = await startTrying(at);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const { code } = await t.shell(writing, stop, { signal: stopping.signal });
  expect([code, readdirSync(t.workspace), t.layers()]).toEqual(["TURN_CANCELLED", [], []]);
});

test.runIf(linux)("RUN-04: the audit says tried, decided, and taken over or dropped", async (at) => {
  await using t = await startTrying(at);
  await t.shell(writing, () => "allow");
  await t.shell(writing, () => "deny");
  expect(t.audit()).toEqual([
    "tool_call: tried",
    "approval: allow by cli:test",
    "tool_call: approved",
    "tool_result: done, taken over",
    "tool_call: tried",
    "approval: deny by cli:test",
    "tool_result: dropped",
    "tool_call: refused: APPROVAL_DENIED",
    "security_refusal: refused: APPROVAL_DENIED",
  ]);
});

test.runIf(linux)(
  "RUN-04: what its owner changes while the question is open stays, both are told",
  async (at) => {
    await using t = await startTrying(at);
    const file = path.join(t.workspace, "file");
    writeFileSync(file, "old\n");
    const { text } = await t.shell("echo run > file", () => {
      writeFileSync(file, "owner\n");
      return "allow";
    });
    const [, beside = ""] = /the run's is (file\.from-run-[\da-f]{8})/.exec(text) ?? [];
    expect(readFileSync(file, "utf8")).toBe("owner\n");
    expect(readFileSync(path.join(t.workspace, beside), "utf8")).toBe("run\n");
  },
);

/** A page from outside, and a tool that tells the material of its conversation. */
const outside = definePlugin({
  name: "tool-outside",
  provides: [Tools],
  setup(host) {
    const about = { description: "A tool.", input: Type.Object({}) };
    const page = defineTool({
      ...about,
      name: "page_get",
      effects: () => ({ urls: ["https://news.example/"] }),
      run: async () => "page",
    });
    host.provide(Tools, page);
    const input = Type.Object({ path: Type.String() });
    const told = defineTool({
      ...about,
      name: "told",
      input,
      effects: (args) => ({ paths: [{ path: args.path, access: "read" }] }),
      run: async ({ sources }) => sources.material.join(),
    });
    host.provide(Tools, told);
  },
});

test.runIf(linux)("FLR-04: what a yes puts beside the owner's file is material", async (at) => {
  await using t = await startTrying(at, { plugins: [outside, memoryStore()] });
  const file = path.join(t.workspace, "file");
  writeFileSync(file, "old\n");
  await t.host.call("page_get", {}, { session: "one", approvals: "yes" });
  const change = () => {
    writeFileSync(file, "owner\n");
    return "allow";
  };
  await t.shell("echo page > file", change, { session: "one" });
  const told = async (name: string): Promise<string> => {
    const call = () => t.host.call("told", { path: name }, { session: name, approvals: "yes" });
    await call();
    return (await call()).text;
  };
  const [beside = ""] = readdirSync(t.workspace).filter((name) => name !== "file");
  expect(beside).toMatch(/^file\.from-run-/);
  expect([await told("file"), await told(beside)]).toEqual(["", "news.example"]);
});

test.runIf(linux)("RUN-04: a layer that changed after it was shown is not taken over", async (at) => {
  await using t = await startTrying(at);
  const { code } = await t.shell("echo shown > file", () => {
    const views = path.join(t.host.configDir, "state/views");
    for (const one of readdirSync(views, { recursive: true, encoding: "utf8" }))
      if (one.endsWith("up/file")) writeFileSync(path.join(views, one), "other\n");
    return "allow";
  });
  expect(code).toBe("SANDBOX_NOT_TAKEN");
  expect([readdirSync(t.workspace), t.layers()]).toEqual([[], []]);
});

test.runIf(linux)("RUN-04: what was shown as left out is not taken over after the yes", async (at) => {
  await using t = await startTrying(at);
  execFileSync("git", ["init", "-q", "--bare", "--template=", path.join(t.workspace, "x.git")]);
  const command = "cd x.git; h=hoo; mkdir ${h}ks; echo evil > ${h}ks/pre-commit; echo hi > ../harmless";
  const { code } = await t.shell(command, () => {
    // Without them the folder is an ordinary one, and its hooks are ordinary files.
    rmSync(path.join(t.workspace, "x.git/objects"), { recursive: true });
    return "allow";
  });
  expect(t.asked[0]?.preview).toContain("left out: 1 (security.guarded_files");
  expect(code).toBe("SANDBOX_NOT_TAKEN");
  expect(readdirSync(t.workspace)).toEqual(["x.git"]);
  expect(existsSync(path.join(t.workspace, "x.git/hooks"))).toBe(false);
});

test.runIf(linux)(
  "RUN-04: what a filter takes out of the result is not in the question either",
  async (at) => {
    const filters = definePlugin({
      name: "some-filter",
      provides: [ResultFilters],
      setup: (host) => host.provide(ResultFilters, { name: "some", filter }),
    });
    await using t = await startTrying(at, { plugins: [filters] });
    const { text } = await t.shell("echo hunt'er2'; echo hunt'er2' > file", () => "allow");
    const [{ preview, diff } = { preview: "", diff: "" }] = t.asked;
    expect(preview).toContain("> [gone]");
    expect(diff).toContain("+[gone]");
    expect([text, `${preview}${diff}`.includes("hunter2")]).toEqual(["[gone]\n[exit code 0]", false]);
  },
);

test.runIf(linux)("RUN-04: in a group nothing is tried, since all would read what it did", async (at) => {
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const calls = [{ name: "shell", args: { command: "cat notes; touch ran" } }];
  const plugins = [channel, memoryStore(), fakeProvider([{ calls }, "done"])];
  await using t = await startTrying(at, { plugins, timeouts: { approval: 1_000 } });
  writeFileSync(path.join(t.workspace, "notes"), "PRIVATE\n");
  await t.host.serve();
  const conversation = { id: "team", kind: "group" } as const;
  await channel.receive({ text: "hello", from: "alice", conversation });
  await expect.poll(() => JSON.stringify(channel.sent)).toContain("Not tried first: others would read");
  expect(JSON.stringify(channel.sent)).not.toContain("PRIVATE");
  expect(t.audit()).not.toContain("tool_call: tried");
});

test.runIf(linux)("RUN-04: where nobody can be asked no command is tried", async (at) => {
  await using t = await startTrying(at);
  const { code } = await t.shell("true", () => "allow", { approvals: "none" });
  expect(code).toBe("APPROVAL_NO_PERSON");
  expect(t.audit()).not.toContain("tool_call: tried");
});

/** Each as its words in the title, a command, the settings, and what the question says. */
const untried = [
  ["with runs direct", "true", { security: { runs: "direct" } }, "security.runs is direct"],
  [
    "for a command that can reach the network",
    "make",
    { security: { allowed_domains: ["example.com"] } },
    "it can reach the network",
  ],
  [
    "where commands write beyond the workspace",
    "true",
    { security: { sandboxing: { allowed_write_paths: ["$WORKSPACE", "/var/tmp"] } } },
    "commands may write /var/tmp",
  ],
  [
    "where commands read devices",
    "true",
    { security: { sandboxing: { allowed_read_paths: ["/usr", "/bin", "/lib", "/lib64", "/dev/shm"] } } },
    "commands may read /dev/shm",
  ],
] as const;

test.runIf(linux).for(untried)(
  "RUN-04: %s the question is the ordinary one and says why",
  async ([, command, config, why], at) => {
    await using t = await startTrying(at, { config });
    await t.shell(command, () => "deny");
    const [question] = t.asked;
    expect(question?.preview).toBe(command);
    expect(question?.warnings).toEqual([expect.stringContaining(`Not tried first: ${why}`)]);
    expect(t.audit()).not.toContain("tool_call: tried");
  },
);

/** Each as its words in the title, the settings, and how it is called. */
const unwanted = [
  ["supervised", { agent: { autonomy_level: "supervised" } }, {}],
  ["with try_first false", { agent: { try_first: false } }, {}],
  ["by --yes", {}, { approvals: "yes" }],
  ["under a rule of security.allow", { security: { allow: ["shell: touch file"] } }, {}],
] as const;

test.runIf(linux).for(unwanted)("RUN-04: %s no command is tried", async ([, config, more], at) => {
  await using t = await startTrying(at, { config });
  await t.shell("touch file", () => "allow", more);
  expect(t.audit()).not.toContain("tool_call: tried");
  expect(t.asked.flatMap(({ warnings }) => warnings)).toEqual([]);
  expect(existsSync(path.join(t.workspace, "file"))).toBe(true);
});

test.runIf(linux)(
  "RUN-04: with a way out for others, a command that only handles files is tried",
  async (at) => {
    await using t = await startTrying(at, { config: { security: { allowed_domains: ["example.com"] } } });
    await t.shell("touch file", () => "allow");
    expect(t.audit()).toContain("tool_result: done, taken over");
  },
);
