import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { Approvals, ask, type ApprovalRequest, type TurnEvent } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import autonomy from "../plugins/guard-autonomy/index.ts";
import commands from "../plugins/guard-commands/index.ts";
import paths from "../plugins/guard-paths/index.ts";
import { guard, tool } from "./helpers/plugins.ts";

const shell = tool("shell", async () => "ran", { effects: ({ command }) => ({ commands: [command] }) });
const edit = tool("file_edit", async () => "edited", {
  effects: ({ path: at }) => ({ paths: [{ path: at, access: "write" }] }),
});
const fetcher = tool("web_fetch", async () => "fetched", { effects: ({ url }) => ({ urls: [url] }) });
const remote = (name: string) => tool(name, async () => "done", { source: "mcp" });
const vague = tool("vague", async () => "done", { effects: async () => "unknown" as const });

function start(allow: readonly string[], agent: Record<string, unknown> = {}): Promise<TestHost> {
  const plugins = [
    autonomy,
    commands,
    paths,
    shell,
    edit,
    fetcher,
    vague,
    remote("github_issues"),
    remote("mail_send"),
    tool("github_wiki", async () => "done", { source: "another" }),
  ];
  return startTestHost({ plugins, config: { agent, security: { allow } } });
}

async function decision(host: TestHost, name: string, args: Record<string, unknown>): Promise<string> {
  const { decision: made, code } = await host.call(name, args);
  return code === undefined ? made : `${made} ${code}`;
}
const runs = (host: TestHost, command: string) => decision(host, "shell", { command });
const asks = "refused APPROVAL_NO_PERSON";

test("SEC-14: a rule for the shell covers exactly its words, however bash writes them, and nothing beside them", async () => {
  await using host = await start([
    "shell: git status",
    "shell: npm test",
    "shell: git log --oneline *",
    "shell: ls src/test:*",
  ]);
  const covered = [
    "git status",
    "git  'status'",
    "npm test",
    "npm test && git status",
    "git status || git status; npm test",
    "git log --oneline",
    "git log --oneline main src",
    "ls src/test:unit",
  ];
  for (const line of covered) expect([line, await runs(host, line)]).toEqual([line, "allowed"]);
  const left = [
    "git status -s",
    "git",
    "git statusx",
    "./git status",
    "/usr/bin/git status",
    "GIT status",
    "ls src/test:unit x",
    "git log",
    "git log --oneline -5",
    "git status; touch x",
    "git status && rm x",
    "git status | tee x",
    "git status > x",
    "git status < x",
    "git status 2>&1",
    "git status $(touch x)",
    "git status `touch x`",
    "git status $x",
    "git status *",
    "git {status,x}",
    "git status &",
    "x=1 git status",
    "! git status",
    "time git status",
    "(git status)",
    "{ git status; }",
    "if git status; then npm test; fi",
    "for i in 1; do git status; done",
    "f() { git status; }; f",
    "env git status",
    "eval git status",
    "echo git status",
    "git log <(touch x)",
    "git log <<E\nE",
  ];
  for (const line of left) expect([line, await runs(host, line)]).toEqual([line, asks]);
});

test("SEC-14: what a pipe feeds is covered only by a rule with the pipe before it, whatever joins the rest", async () => {
  await using host = await start([
    ...["cat *", "sh", "env sh", "head -5", "rm x"].map((pattern) => `shell: ${pattern}`),
    "shell: | head -3 *",
    "shell: |tail",
  ]);
  for (const line of [
    "sh; cat todo.txt",
    "cat todo.txt && sh",
    "cat a | head -3",
    "cat a | head -3 | tail || sh",
    "env sh",
  ])
    expect([line, await runs(host, line)]).toEqual([line, "allowed"]);
  for (const line of [
    "cat todo.txt | sh",
    "cat todo.txt |& sh",
    "cat todo.txt |\nsh",
    "cat todo.txt | head -3 | sh",
    "cat a; cat todo.txt | sh && cat a",
    "cat todo.txt | env sh",
    "cat todo.txt | bash -c sh",
    "bash -c 'cat todo.txt | sh'",
    "cat a | rm x",
    "head -3",
    "tail",
    "cat a | tail; tail",
    "'|' head x",
  ])
    expect([line, await runs(host, line)]).toEqual([line, asks]);
  for (const entry of ["shell: cat * | sh", "shell: |", "shell: | |"])
    await expect(start([entry])).rejects.toMatchObject({ code: "ALLOW_BAD_PIPE" });
});

test("SEC-14: no addition to a covered command slips through with it", async () => {
  await using host = await start(["shell: ls"]);
  const added = fc.tuple(
    fc.constantFrom("", ";", "&&", "||", "|", "&", "\n", ">", "<", "$(", "`", "<(", "{", "(", "x=", "!", "#"),
    fc.string({ maxLength: 6 }),
  );
  const property = fc.asyncProperty(added, fc.boolean(), async ([sign, text], before) => {
    const line = before ? `${text} ${sign} ls` : `ls ${sign} ${text}`;
    const made = await runs(host, line);
    const isBare = line
      .replace(/(^|\s)#[^\n]*/g, "")
      .split(/[\s;|&]+/)
      .every((word) => word === "" || word === "ls");
    return made !== "allowed" || isBare;
  });
  const report = await fc.check(property, { numRuns: process.env["GANTRY_LONG"] ? 20_000 : 100 });
  expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
});

test("SEC-14: a rule lifts no refusal", async () => {
  await using host = await start(["shell: sudo ls", "shell", "file_edit: **", "file_edit: /etc/*"]);
  expect(await runs(host, "sudo ls")).toBe("refused COMMAND_BLOCKED");
  expect(await decision(host, "file_edit", { path: "/etc/passwd" })).toBe("refused PATH_OUTSIDE");
  expect(await decision(host, "file_edit", { path: ".git/hooks/x" })).toBe("refused PATH_SENSITIVE");
});

test("SEC-14: a rule for files is matched on the resolved path, and no link in the workspace widens it", async () => {
  await using host = await start([
    "file_edit: src/**",
    "file_edit: *.md",
    "file_edit: link/*",
    "file_edit: one",
  ]);
  const { workspace } = host.runtime;
  for (const name of ["src/deep", "other"]) await mkdir(path.join(workspace, name), { recursive: true });
  await symlink("../other", path.join(workspace, "src/out"));
  await symlink("other", path.join(workspace, "link"));
  await symlink("other/one", path.join(workspace, "one"));
  await symlink("src/deep", path.join(workspace, "into"));
  const edits = (at: string) => decision(host, "file_edit", { path: at });
  const covered = [
    "src/a.ts",
    "src/deep/b.ts",
    "./src/../src/a",
    path.join(workspace, "src/x"),
    "a.md",
    "into/x",
  ];
  for (const at of covered) expect([at, await edits(at)]).toEqual([at, "allowed"]);
  const left = ["srcx/a", "a.ts", "src/../a.ts", "docs/a.md", "src/out/y", "link/x", "other/x", "one"];
  for (const at of left) expect([at, await edits(at)]).toEqual([at, asks]);
});

test("SEC-14: tools can be allowed by name, by where they come from, and addresses by domain", async () => {
  await using host = await start(["mcp: github_*", "web_fetch: *.example.com"]);
  expect(await decision(host, "github_issues", {})).toBe("allowed");
  for (const name of ["mail_send", "github_wiki", "vague"])
    expect([name, await decision(host, name, {})]).toEqual([name, asks]);
  expect(await decision(host, "web_fetch", { url: "https://docs.example.com/x" })).toBe("allowed");
  for (const url of [
    "https://example.com.evil.net/",
    "https://evil.net/.example.com",
    "https://example.org/",
    "https://docs.example.com@evil.net/",
  ])
    expect([url, await decision(host, "web_fetch", { url })]).toEqual([url, asks]);
  await using named = await start(["mail_send", "vague"]);
  for (const name of ["mail_send", "vague"]) expect(await decision(named, name, {})).toBe("allowed");
});

test("SEC-14: a star in a rule for recipients stands for one of them, however they are written", async () => {
  const send = tool("message_send", async () => "sent", { effects: ({ to }) => ({ recipients: [to] }) });
  const config = { security: { allow: ["message_send: *@example.com", "message_send: team-*"] } };
  await using host = await startTestHost({ plugins: [autonomy, send], config });
  const sends = (to: string) => decision(host, "message_send", { to });
  for (const to of ["ann@example.com", "team-one"]) expect([to, await sends(to)]).toEqual([to, "allowed"]);
  for (const between of [",", ", ", ";", " ", "\n", "\r\nBcc: ", "> <"])
    for (const to of [`eve@evil.net${between}ann@example.com`, `team-one${between}eve@evil.net`])
      expect([to, await sends(to)]).toEqual([to, asks]);
  expect(await sends("ann@example.com.evil.net")).toBe(asks);
});

test("SEC-14: a star in a rule for addresses stays in its part of the address", async () => {
  await using host = await start([
    "web_fetch: https://*.example.com/*",
    "web_fetch: https://example.org",
    "web_fetch: http://127.0.0.1:8080/a?b=*",
    "web_fetch: docs.*.net",
  ]);
  const fetches = (url: string) => decision(host, "web_fetch", { url });
  const covered = [
    "https://a.example.com/",
    "https://a.b.Example.com/x?y#z",
    "https://example.org/any/path?x",
    "http://127.0.0.1:8080/a?b=c/d",
    "https://docs.a.net/",
  ];
  for (const url of covered) expect([url, await fetches(url)]).toEqual([url, "allowed"]);
  const left = [
    "https://other.host/?d=SECRET&.example.com/",
    "https://other.host/.example.com/",
    "https://other.host/#.example.com/",
    "https://other.host:1/.example.com/",
    "https://x@a.example.com/",
    "https://example.com/",
    "https://a.example.com.evil.org/",
    "https://a.example.com:8443/",
    "http://a.example.com/",
    "https://example.org.evil.org/",
    "http://127.0.0.1/a?b=c",
    "http://127.0.0.1:8080/axb=c",
    "https://docs.a.evil.net/",
  ];
  for (const url of left) expect([url, await fetches(url)]).toEqual([url, asks]);
  for (const url of ["https://example.com*", "https://*com*", "https://a@b/*", "https://", "https://a?b"])
    await expect(start([`web_fetch: ${url}`])).rejects.toMatchObject({ code: "ALLOW_BAD_URL" });
});

test("SEC-14: whatever stands in an address, only its host decides whose it is", async () => {
  await using host = await start(["web_fetch: https://*.example.com/*", "web_fetch: *.example.com"]);
  const piece = fc.constantFrom(
    "a",
    ".",
    "/",
    "?",
    "#",
    ":",
    "@",
    "\\",
    "%2e",
    "1",
    "example.com",
    ".example.com/",
  );
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
    const url = `https://${pieces.join("")}`;
    const isBelow = URL.canParse(url) && new URL(url).hostname.endsWith(".example.com");
    return isBelow || (await decision(host, "web_fetch", { url })) !== "allowed";
  });
  const report = await fc.check(property, { numRuns: process.env["GANTRY_LONG"] ? 20_000 : 100 });
  expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
});

test("SEC-14: supervised asks all the same, and an entry that is no rule stops the start", async () => {
  await using host = await start(["shell: ls"], { autonomy_level: "supervised" });
  expect(await runs(host, "ls")).toBe(asks);
  for (const entry of ["shell git status", ": x", "shell:", "a b: c"])
    await expect(start([entry])).rejects.toMatchObject({ code: "ALLOW_BAD_RULE" });
});

test("SEC-14: the audit and policy explain name the rule that released", async () => {
  await using host = await start(["shell: git status", "shell: ls"]);
  await runs(host, "ls; git status");
  expect(host.audit.map(({ event_type, result }) => [event_type, result])).toEqual([
    ["approval", 'allow by security.allow "shell: ls, shell: git status"'],
    ["tool_call", "allowed"],
    ["tool_result", "done"],
  ]);
  const opinions = await host.explain("shell", { command: "ls" });
  expect(opinions.filter(({ outcome }) => outcome).map(({ lifted }) => lifted)).toEqual([
    'security.allow "shell: ls"',
  ]);
});

test("SEC-16: effects that are unknown ask at every level, autonomous refuses, and only the tool's name in security.allow helps", async () => {
  for (const autonomy_level of ["supervised", "semi-autonomous"]) {
    await using host = await start(["vague: *"], { autonomy_level });
    const [opinion] = (await host.explain("vague", {})).filter(({ outcome }) => outcome);
    expect(opinion?.outcome).toMatchObject({ verdict: "ask" });
    expect(await decision(host, "vague", {})).toBe(asks);
  }
  await using refusing = await start(["vague: *"], { autonomy_level: "autonomous" });
  expect(await decision(refusing, "vague", {})).toBe("refused AUTONOMOUS_REFUSED");
  await using allowing = await start(["vague"], { autonomy_level: "autonomous" });
  expect(await decision(allowing, "vague", {})).toBe("allowed");
});

test("SEC-16: unknown effects ask even where the tool is approved in advance", async () => {
  const config = { security: { auto_approve_tools: ["vague"] } };
  await using host = await startTestHost({ plugins: [autonomy, vague], config });
  expect(await decision(host, "vague", {})).toBe(asks);
});

test("SEC-16: what a tool claims of itself lowers nothing", async () => {
  const meek = tool("meek", async () => "done", {
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: ({ path: at }) => ({ paths: [{ path: at, access: "write" }] }),
  });
  const config = { security: { file_write_enabled: false } };
  await using off = await startTestHost({ plugins: [autonomy, meek], config });
  expect(await decision(off, "meek", { path: "x" })).toBe("refused AUTONOMY_OFF");
  await using on = await startTestHost({ plugins: [autonomy, meek] });
  expect(await decision(on, "meek", { path: "x" })).toBe(asks);
});

test("SEC-16: a tool that is not offered is not called, by nobody's leave, nor by another tool", async () => {
  const ran: string[] = [];
  const hidden = tool("hidden", async () => String(ran.push("ran")), { offered: () => false });
  const outer = tool("outer", async ({ call }) => call("hidden", {}));
  const broken = tool("broken", async () => String(ran.push("ran")), {
    offered: () => {
      throw new Error("it cannot say");
    },
  });
  await using host = await startTestHost({ plugins: [hidden, outer, broken] });
  expect(await host.call("broken", {}, { approvals: "yes" })).toMatchObject({ code: "TOOL_NOT_OFFERED" });
  expect(await host.call("hidden", {}, { approvals: "yes" })).toMatchObject({
    decision: "refused",
    code: "TOOL_NOT_OFFERED",
  });
  expect(await host.call("outer", {}, { approvals: "yes" })).toMatchObject({ code: "TOOL_NOT_OFFERED" });
  expect(ran).toEqual([]);
  const opinions = await host.explain("hidden", {});
  expect(opinions.at(-1)).toMatchObject({
    by: "host",
    outcome: { verdict: "refuse", code: "TOOL_NOT_OFFERED" },
  });
});

const careful = guard("careful", () => ask({ code: "MAYBE", message: "This changes something." }));

/** Decides each question of a call, and notes what was asked. */
function person(host: TestHost, answer: (request: ApprovalRequest) => string) {
  const asked: ApprovalRequest[] = [];
  const onEvent = (event: TurnEvent): void => {
    if (event.type !== "approval_request") return;
    asked.push(event.request);
    host.slot(Approvals).decide(event.request.id, answer(event.request), { user: event.request.user });
  };
  return { asked, options: { approvals: "ask" as const, onEvent } };
}

async function startAsked(): Promise<TestHost> {
  return startTestHost({ plugins: [careful, commands, shell, edit, fetcher, vague] });
}

test("SEC-14: a yes for the conversation covers the same command word by word and asks for everything else", async () => {
  await using host = await startAsked();
  const { asked, options } = person(host, () => "always");
  const call = async (command: string, more: object = {}) => {
    const before = asked.length;
    await host.call("shell", { command }, { ...options, ...more });
    return asked.length > before;
  };
  expect(await call("npm 'test'")).toBe(true);
  expect(await call("git commit -m 'a b'")).toBe(true);
  expect(asked.map(({ always }) => always)).toEqual(["shell `npm test`", "shell `git commit -m 'a b'`"]);
  for (const line of ["npm test", "git  commit '-m' a\\ b"])
    expect([line, await call(line)]).toEqual([line, false]);
  for (const line of [
    "npm test x",
    "npm",
    "npm test > x",
    "npm test; ls",
    "npm test $(git status)",
    "env npm test",
    "npm test; git commit -m 'a b'",
    "npm test | npm test",
    "git commit -m a b",
  ])
    expect([line, await call(line)]).toEqual([line, true]);
  expect(await call("npm test", { session: "another" })).toBe(true);
  expect(await call("npm test", { user: "cli:other" })).toBe(true);
  expect(await call("echo $x")).toBe(true);
  expect(asked.at(-1)?.always).toBe("shell this very command line");
  expect([await call("echo $x"), await call("echo  $x")]).toEqual([false, true]);
});

test("SEC-14: a yes for the conversation to more than one command covers that line, not its parts joined in another way", async () => {
  for (const [line, others] of [
    [
      "cat todo.txt; sh",
      ["cat todo.txt | sh", "sh; cat todo.txt", "sh", "cat todo.txt", "cat todo.txt && sh"],
    ],
    ["cd /tmp/scratch && rm -rf src", ["rm -rf src", "cd /tmp/scratch || rm -rf src", "cd /tmp/scratch"]],
    ["env npm test", ["npm test", "env  npm test"]],
  ] as const) {
    await using host = await startAsked();
    const { asked, options } = person(host, () => "always");
    await host.call("shell", { command: line }, options);
    expect(asked[0]?.always).toBe("shell this very command line");
    await host.call("shell", { command: line }, options);
    expect(asked).toHaveLength(1);
    for (const command of others) {
      const before = asked.length;
      await host.call("shell", { command }, options);
      expect([command, asked.length]).toEqual([command, before + 1]);
    }
  }
});

test("SEC-14: a yes for the conversation to a call of several files covers them together, not each with another", async () => {
  const copy = tool("copy", async () => "copied", {
    effects: ({ from, to }) => ({
      paths: [
        { path: from, access: "read" },
        { path: to, access: "write" },
      ],
    }),
  });
  await using host = await startTestHost({ plugins: [careful, copy] });
  const { asked, options } = person(host, () => "always");
  for (const [from, to] of ["ab", "cd", "ab", "ad", "cb"]) await host.call("copy", { from, to }, options);
  expect(asked.map(({ args }) => Object.values(args).join(""))).toEqual(["ab", "cd", "ad", "cb"]);
});

test("SEC-14: for files it covers the same resolved path, for everything else the same arguments", async () => {
  await using host = await startAsked();
  const { workspace } = host.runtime;
  await symlink("a.txt", path.join(workspace, "link"));
  const { asked, options } = person(host, () => "always");
  const call = async (name: string, args: object) => {
    const before = asked.length;
    await host.call(name, args, options);
    return asked.length > before;
  };
  expect(await call("file_edit", { path: "a.txt", text: "one" })).toBe(true);
  expect(asked[0]?.always).toBe(`file_edit to write ${path.join(workspace, "a.txt")}`);
  expect([
    await call("file_edit", { path: "link", text: "two" }),
    await call("file_edit", { path: "b.txt" }),
  ]).toEqual([false, true]);
  expect([
    await call("web_fetch", { url: "http://a/1" }),
    await call("web_fetch", { url: "http://a/1" }),
  ]).toEqual([true, false]);
  expect([
    await call("web_fetch", { url: "http://a/1", body: "x" }),
    await call("vague", {}),
    await call("vague", { a: 1 }),
  ]).toEqual([true, true, true]);
});

test("SEC-14: a yes for a file or a command does not cover where the same call sends it", async () => {
  const carry = tool("carry", async () => "sent", {
    effects: ({ run, to, url }) => ({
      ...(run ? { commands: ["ls"] } : { paths: [{ path: "a.txt", access: "read" }] }),
      recipients: to ? [String(to)] : [],
      urls: url ? [String(url)] : [],
    }),
  });
  await using host = await startTestHost({ plugins: [careful, commands, carry] });
  const { asked, options } = person(host, () => "always");
  const call = async (args: object) => {
    const before = asked.length;
    await host.call("carry", args, options);
    return asked.length > before;
  };
  for (const run of [true, false])
    for (const where of [{ to: "bob" }, { to: "eve" }, { url: "http://a/" }, { url: "http://b/" }])
      expect([await call({ run, ...where }), await call({ run, ...where })]).toEqual([true, false]);
});

test("SEC-14: a yes for the conversation lifts only what was asked then, and the audit says by whom and for what", async () => {
  let second = false;
  const later = guard("later", () =>
    second ? ask({ code: "LATER", message: "Now there is more." }) : undefined,
  );
  await using host = await startTestHost({ plugins: [careful, later, commands, shell] });
  const { asked, options } = person(host, () => "always");
  await host.call("shell", { command: "ls" }, options);
  await host.call("shell", { command: "ls" }, options);
  second = true;
  await host.call("shell", { command: "ls" }, options);
  expect(asked.map(({ reasons }) => reasons.length)).toEqual([1, 2]);
  expect(
    host.audit.filter(({ event_type }) => event_type === "approval").map(({ result }) => result),
  ).toEqual([
    "allow by cli:test for this conversation (shell `ls`)",
    "allow by cli:test for this conversation (shell `ls`)",
    "allow by cli:test for this conversation (shell `ls`)",
  ]);
  expect(
    host.audit.filter(({ event_type }) => event_type === "tool_call").map(({ result }) => result),
  ).toEqual(["approved", "allowed", "approved"]);
});

test("SEC-14: it dies with the process, and supervised offers none", async () => {
  const first = await startAsked();
  await first.call("shell", { command: "ls" }, person(first, () => "always").options);
  await first.stop();
  await using second = await startAsked();
  const { asked, options } = person(second, () => "deny");
  await second.call("shell", { command: "ls" }, options);
  expect(asked).toHaveLength(1);
  const config = { agent: { autonomy_level: "supervised" } };
  await using supervised = await startTestHost({ plugins: [autonomy, commands, shell], config });
  const watched = person(supervised, () => "always");
  expect(await supervised.call("shell", { command: "ls" }, watched.options)).toMatchObject({
    code: "APPROVAL_DENIED",
  });
  expect(watched.asked[0]).not.toHaveProperty("always");
});
