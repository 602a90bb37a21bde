import { definePlugin, ShellReader } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import autonomy from "../plugins/guard-autonomy/index.ts";
import commands from "../plugins/guard-commands/index.ts";
import { builtins } from "../plugins/guard-commands/programs/builtins.ts";
import { shells } from "../plugins/guard-commands/programs/shells.ts";
import { starters } from "../plugins/guard-commands/programs/starters.ts";
import { tool } from "./helpers/plugins.ts";

const shell = tool("shell", async () => "ran", {
  effects: ({ command }) => ({ commands: [command] }),
});
const numRuns = process.env["GANTRY_LONG"] ? 20_000 : 100;

function start(rules: readonly string[]): Promise<TestHost> {
  const allow = rules.map((rule) => `shell: ${rule}`);
  return startTestHost({ plugins: [autonomy, commands, shell], config: { security: { allow } } });
}

async function isAllowed(host: TestHost, command: string): Promise<boolean> {
  return (await host.call("shell", { command })).decision === "allowed";
}

/**
 * Commands with an option that starts a program or writes a file, and the rules that look as if
 * they covered it.
 */
const byOption: Readonly<Record<string, readonly string[]>> = {
  "rg --pre id x": ["rg *", "rg * x", "rg --* x", "rg --p* *", "rg -* id x", "rg ?-pre *", "rg ????? *"],
  "rg --hostname-bin=id x": ["rg *", "rg --hostname* x", "rg --* *"],
  "git grep -Oid x": ["git grep *", "git * *", "git grep -* x", "git grep -O* x", "git *"],
  "git grep -nOid x": ["git grep -n* *"],
  "git diff --ext-diff": ["git diff *", "git *"],
  "git diff --output=x": ["git diff *", "git diff --o* *"],
  "git log --output=x": ["git log *", "git log --*"],
  "git -c core.pager=id log": ["git *", "git * log", "git -c *", "git -c * log", "git -* *"],
  "git -C x log": ["git *", "git -C *"],
  "sort --compress-program=id y": ["sort *", "sort * y", "sort --comp* y"],
  "sort --compr id y": ["sort *", "sort * id y"],
  "sort -o x y": ["sort *", "sort * x y", "sort -? x y"],
  "sort y -ox": ["sort y *", "sort * *"],
  "split --filter=id x": ["split *"],
  "curl -o x example.com": ["curl *", "curl -* x *"],
  "curl -K x": ["curl *"],
  "tree -o x": ["tree *"],
  "gcc @x": ["gcc *", "gcc ?x"],
  "gcc -wrapper id x.c": ["gcc *"],
  "fd -x id": ["fd *"],
  "find . -delete": ["find *", "find . *", "find . -*"],
  "find . -fprint x": ["find *"],
  "find . -exec id ';'": ["find *", "find . *", "find . -exec *", "find . -exec * ;"],
  "find . -exec touch {} +": ["find . -exec *", "find . -exec touch *", "find . -exec touch {} *"],
  "jq -f x": ["jq *"],
  "rg -- --pre": ["rg *", "rg -- *"],
};
/**
 * Commands of programs that start others or run code by their operands, or write a file that an
 * operand names.
 */
const byOperand: Readonly<Record<string, readonly string[]>> = {
  "sed 1e a": ["sed *", "sed 1* a", "sed 1? *"],
  "gsed 1e a": ["gsed *"],
  "awk 'BEGIN{system(1)}'": ["awk *", "awk BEGIN*"],
  "mawk -f x": ["mawk -f *"],
  "tar --to-command=id -xf a": ["tar *", "tar --to-command=* -xf a", "tar --* *"],
  "tar cIf id x y": ["tar *", "tar c* *"],
  "xargs id": ["xargs *", "xargs i?"],
  "env id": ["env *", "env ?d"],
  "timeout 5 id": ["timeout *", "timeout 5 *"],
  "nice id": ["nice *"],
  "ssh -o ProxyCommand=id x": ["ssh *", "ssh -o *", "ssh -o ProxyCommand=* x"],
  "ssh x id": ["ssh *", "ssh x *"],
  "man -P id x": ["man *", "man -P *"],
  "less +x": ["less *", "less +*"],
  "vim x": ["vim *"],
  "vim.basic x": ["vim.basic *"],
  "make x": ["make *", "make ?"],
  "npm run x": ["npm *", "npm run *", "npm run ?"],
  "python3.11 x.py": ["python3.11 *", "python3.11 *.py"],
  "/usr/bin/perl x": ["/usr/bin/perl *"],
  "sh x": ["sh *", "sh ?"],
  "busybox id": ["busybox *"],
  "git bisect run id": ["git *", "git bisect *"],
  "git submodule foreach id": ["git *", "git submodule *"],
  "git config alias.x '!id'": ["git *", "git config *", "git config alias.* *"],
  "git unknown x": ["git *", "git unknown *"],
  "git clone ext::id x": ["git *", "git clone *"],
  "sqlite3 x '.shell id'": ["sqlite3 *", "sqlite3 x *"],
  "docker run x": ["docker *", "docker run *"],
  "let x": ["let *"],
  "trap x EXIT": ["trap *"],
  "uniq x y": ["uniq *"],
};
const exactly = (command: string) => command.replaceAll("'", "");

for (const [kind, cases] of Object.entries({ byOption, byOperand })) {
  const what = kind === "byOption" ? "an option of a program" : "a program that starts others";
  test(`FLR-05: no rule with a wildcard covers ${what}`, async () => {
    const covered: string[] = [];
    for (const [command, rules] of Object.entries(cases)) {
      for (const rule of rules) {
        await using host = await start([rule]);
        if (await isAllowed(host, command)) covered.push(`${rule} covers ${command}`);
      }
    }
    expect(covered).toEqual([]);
  });

  test(`FLR-05: the exact command line covers ${what}`, async () => {
    // A rule cannot hold a space within a word.
    const lines = Object.keys(cases).filter((command) => !/'[^']* [^']*'/.test(command));
    await using host = await start(lines.map(exactly));
    const left: string[] = [];
    for (const command of lines) if (!(await isAllowed(host, command))) left.push(command);
    expect(left).toEqual([]);
  });
}

test("FLR-05: a wildcard covers operands, and behind an option that its rule names", async () => {
  await using host = await start([
    "rg *",
    "rg -n *",
    "git log --oneline *",
    "git log --format=* *",
    "find . -name *",
    "ls src/*",
    "head -? x",
  ]);
  for (const command of [
    "rg TODO src",
    "rg",
    "rg -n TODO src",
    "git log --oneline main",
    "git log --format=%an main",
    "find . -name '*.ts'",
    "ls src/a",
  ])
    expect([command, await isAllowed(host, command)]).toEqual([command, true]);
  for (const command of [
    "rg -n --pre id",
    "rg TODO -n",
    "git log --oneline --output=x",
    "git log --format=%an --output=x",
    "git log --pretty=%an main",
    "git log main",
    "find . -name x -delete",
    "ls -R src/a",
    "ls src/a -R",
    "head -5 x",
    "/usr/bin/rg TODO",
  ])
    expect([command, await isAllowed(host, command)]).toEqual([command, false]);
});

test("FLR-05: no rule with a wildcard covers a program through which commands are read", async () => {
  // These two start others by their options alone.
  const names = Object.keys({ ...builtins, ...shells, ...starters });
  const read = names.filter((name) => name !== "find" && name !== "printf");
  const covered: string[] = [];
  await using host = await start(read.map((name) => `${name} *`));
  for (const name of read) if (await isAllowed(host, `${name} ls`)) covered.push(name);
  expect(covered).toEqual([]);
});

test("FLR-05: a rule that can cover no command is a warning when the service starts", async () => {
  const idle = ["npm run *", "sed ? a", "git bisect *", "rg --p* x", "git log -*"];
  const useful = ["npm test", "rg *", "git *", "git log --format=* *", "find . -name *.ts"];
  await using host = await start([...idle, ...useful]);
  await host.serve();
  const warned = host.logs.map(({ message }) => message).filter((text) => text.includes("covers no command"));
  expect(warned).toEqual(
    idle.map((rule) => expect.stringMatching(`holds \`shell: ${rule.replace(/[?*]/g, "\\$&")}\``)),
  );
});

test("FLR-05: a rule of several commands or of a redirection covers none, and is a warning", async () => {
  const never = ["git status; git log", "npm test && ls", "ls > out", "ls 2>&1", "wc < in", "sleep 1 &"];
  const useful = { "find . -exec cat {} ;": "find . -exec cat {} ';'", "echo a;b": "echo 'a;b'" };
  await using host = await start([...never, ...Object.keys(useful)]);
  await host.serve();
  for (const rule of never) expect([rule, await isAllowed(host, rule)]).toEqual([rule, false]);
  for (const line of Object.values(useful)) expect([line, await isAllowed(host, line)]).toEqual([line, true]);
  const told = host.logs.map(({ message }) => message).filter((text) => text.includes("covers none"));
  expect(told).toEqual(never.map((rule) => expect.stringContaining(`holds \`shell: ${rule}\``)));
});

test("HSE-01: if a reader does not say what a command starts, no wildcard covers it", async () => {
  const reader = definePlugin({
    name: "reader",
    provides: [ShellReader],
    setup: ({ provide }) =>
      provide(ShellReader, {
        read: async (script) => ({
          commands: [[]],
          files: [],
          plain: [{ words: script.split(" "), fed: false }],
        }),
      }),
  });
  const allow = ["shell: ls *", "shell: ls here"];
  await using host = await startTestHost({
    plugins: [autonomy, reader, shell],
    config: { security: { allow } },
  });
  expect([await isAllowed(host, "ls here"), await isAllowed(host, "ls there")]).toEqual([true, false]);
});

test("FLR-05: a wildcard stands for no program", async () => {
  await using host = await start(["* x", "l* *", "?s", "* *", "./*"]);
  for (const command of ["ls", "ls x", "l x", "./x", "cat x"])
    expect([command, await isAllowed(host, command)]).toEqual([command, false]);
});

const operand = fc.constantFrom("a", "src/x", "a.b", "x=y", "1e", "%s");
const option = fc
  .tuple(fc.constantFrom("-", "--", "+", "@"), fc.constantFrom("", "o", "x=y", "exec", "O1"))
  .map((parts) => parts.join(""));
const program = fc.constantFrom("ls", "cat", "rg", "sort", "git log", "git diff", "find", "some-tool", "jq");
const starred = fc.constantFrom("*", "?", "*a", "-*", "--*", "-?*", "+", "a", "*=*", "**");

test("FLR-05: whatever its wildcards, a rule covers no option that it does not name", async () => {
  const property = fc.asyncProperty(
    program,
    fc.array(starred, { maxLength: 3 }),
    fc.array(operand, { maxLength: 2 }),
    option.filter((word) => word.length > 1),
    fc.array(operand, { maxLength: 2 }),
    async (name, pattern, before, added, after) => {
      await using host = await start([[name, ...pattern, "*"].join(" ")]);
      return !(await isAllowed(host, [name, ...before, added, ...after].join(" ")));
    },
  );
  const report = await fc.check(property, { numRuns });
  expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
});

test("FLR-05: a command of any words is covered by the rule that is the same line", async () => {
  const word = fc.oneof(
    operand,
    option.filter((text) => text !== ""),
  );
  const names = fc.oneof(program, fc.constantFrom("sed", "env", "make", "git bisect", "xargs", "python3"));
  const property = fc.asyncProperty(names, fc.array(word, { maxLength: 4 }), async (name, words) => {
    const line = [name, ...words].join(" ");
    await using host = await start([line]);
    return await isAllowed(host, line);
  });
  const report = await fc.check(property, { numRuns });
  expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
});
