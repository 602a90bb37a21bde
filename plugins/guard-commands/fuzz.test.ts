import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import * as grammar from "unbash";
import { expect, test } from "vitest";
import { readShell } from "./reading.ts";
import { HIDDEN_SUBSTITUTION } from "./syntax/visitors.ts";
import { UNKNOWN, type Arg } from "./syntax/words.ts";

/** The short form tries the same scripts every time; the long form new ones. */
const seeded = (process.env["GANTRY_FUZZ"] ?? process.env["GANTRY_LONG"]) ? {} : { seed: 1 };
const runs = Number(process.env["GANTRY_FUZZ"] ?? (process.env["GANTRY_LONG"] ? 10_000 : 150));

/**
 * Returns the commands that a real bash tries to run and cannot find: the PATH leads nowhere, so
 * nothing but builtins ever runs.
 */
async function ranIn(folder: string, script: string): Promise<string[]> {
  const log = path.join(folder, `log-${Math.random()}`);
  const child = spawn("/bin/bash", ["--norc", "--noprofile", "-c", script], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "ignore", "ignore"],
    env: {
      PATH: "/nowhere",
      LOG: log,
      FUNCNEST: "20",
      "BASH_FUNC_command_not_found_handle%%": '() { builtin printf "%s\\0" "$1" >> "$LOG"; }',
    },
  });
  const timer = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), 2_000);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  try {
    process.kill(-(child.pid as number), "SIGKILL");
  } catch {
    // Nothing of its group is left.
  }
  const text = await readFile(log, "utf8").catch(() => "");
  await rm(log, { force: true });
  return [...new Set(text.split("\0").filter((line) => line !== ""))];
}

/** Builtins that evaluate text which is quoted where it stands. */
const EVALUATORS = new Set("alias declare export let printf read test unset".split(" "));

/** True if what a command runs is known only at run time. */
function isOpen([head, ...args]: readonly Arg[]): boolean {
  if (!head?.whole || head.guess.includes(UNKNOWN)) return true;
  const isHidden = EVALUATORS.has(head.text) && args.some(({ guess }) => HIDDEN_SUBSTITUTION.test(guess));
  const runsText = EVALUATORS.has(head.text) || head.text === "eval" || head.text === "trap";
  return isHidden || (runsText && args.some(({ whole }) => !whole)) || head.text === "alias";
}

/** True if the guard saw all that ran, or the script needs walls for what bash itself does. */
function saw(script: string, ran: readonly string[]): boolean {
  const { commands, unreadable, uncertain, steered } = readShell(script, grammar);
  if (unreadable.size + uncertain.size + steered.size > 0 || commands.some(isOpen)) return true;
  const names = new Set(commands.map(([head]) => head?.text));
  // For a coprocess bash reports this word instead of the command.
  return ran.every((name) => names.has(name) || name === "COPROC");
}

// Names that exist nowhere, so that each run of one is reported.
const name = fc.constantFrom("qa", "qb", "qc", "qd", 'q""e', "q\\f", "'qg'", "$'q\\x68'", '$"qi"', "q\\\nj");
const text = (...parts: (string | fc.Arbitrary<string>)[]) =>
  fc
    .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
    .map((all) => all.join(""));
const quoted = (inner: fc.Arbitrary<string>) =>
  fc.oneof(
    inner.map((one) => `'${one.replaceAll("'", "'\\''")}'`),
    inner.map((one) => `"${one.replace(/["\\$`]/g, "\\$&")}"`),
    inner.map((one) => `$'${one.replace(/['\\]/g, "\\$&").replaceAll("\n", "\\n")}'`),
  );

const { script } = fc.letrec<{ script: string; command: string; word: string; body: string }>((tie) => {
  const { word, command, body } = { word: tie("word"), command: tie("command"), body: tie("script") };
  return {
    word: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(
        "a",
        "-x",
        "1",
        "''",
        "$x",
        '"$x"',
        "*",
        "{a,b}",
        "~",
        "#",
        "$((1+1))",
        "${x:-a}",
        "x=1",
        "\\;",
        "a#b",
        "$",
        "@(a)",
        "!(a)",
        "[[",
        "]]",
        "))",
        "{",
        "}",
        "!",
      ),
      name,
      text("$(", body, ")"),
      text('"', "$(", body, ')"'),
      text(
        "`",
        body.map((one) => one.replace(/[`\\$]/g, "\\$&")),
        "`",
      ),
      text("<(", body, ")"),
      text("${x:-", word, "}"),
      text("${x/", word, "/", word, "}"),
      text("${x[", word, "]}"),
      text("$(( ", word, " ))"),
      text('"', word, '"'),
      quoted(body),
    ),
    command: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      name,
      text(name, " ", word),
      text(name, " ", word, " ", word),
      text("x=", word, " ", name),
      text("x=(", word, " ", word, ")"),
      text("x[", word, "]=", word),
      text("> f ", name),
      text(name, " <<< ", word),
      text(name, " <<E\n", word, "\nE\n"),
      text(name, " <<'E'\n", word, "\nE\n"),
      text(name, " <<-E\n\t", word, "\n\tE\n"),
      text("{ ", body, "\n}"),
      text("(", body, "\n)"),
      text("! ", command),
      text("time ", command),
      text("coproc ", command),
      text("if ", body, "\nthen ", body, "\nelse ", body, "\nfi"),
      text("while ", body, "\ndo ", body, "\nbreak\ndone"),
      text("for i in ", word, " ", word, "\ndo ", body, "\ndone"),
      text("for ((i=0;i<1;i++))\ndo ", body, "\ndone"),
      text("case ", word, " in ", word, ") ", body, "\n;; *) ", body, "\nesac"),
      text("[[ ", word, " == ", word, " ]]"),
      text("[[ -n ", word, " && ", word, " ]]"),
      text("(( ", word, " ))"),
      text("f() { ", body, "\n}\nf"),
      text("function g { ", body, "\n}\ng ", word),
      text("eval ", quoted(body)),
      text("eval ", word, " ", word),
      text("command ", command),
      text("builtin eval ", quoted(body)),
      text("exec ", name, " ", word),
      text("trap ", quoted(body), " EXIT"),
      text("let ", word),
      text("declare x=", word),
      text("export ", word),
      text("read x <<< ", word),
      text("printf -v x ", word),
      text("set -- ", word, "\n", '"$@"'),
      text("alias x=", quoted(body)),
      text("shopt -s extglob\n", command),
      text("unset ", word),
      text("test -v ", word),
    ),
    body: fc.constant(""),
    script: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      command,
      text(command, fc.constantFrom("; ", "\n", " && ", " || ", " | ", " |& ", " & ", "\n\n# qz\n"), command),
      text(command, " # ", word),
    ),
  };
});

/** Breaks a script at random places with characters of the grammar. */
const mutated = fc
  .tuple(
    script,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom(
          ..."'\"`$(){}[];&|<>\\\n #=!~*?@",
          "$'",
          "$(",
          "${",
          "((",
          "))",
          "[[",
          "]]",
          "<<E\n",
          "\\\n",
          "$[",
        ),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([text, cuts]) =>
    cuts.reduce(
      (all, [at, bit]) =>
        all.slice(0, at % (all.length + 1)) + bit + all.slice((at % (all.length + 1)) + (at % 2)),
      text,
    ),
  );

test("SEC-03: whatever a real bash runs, the guard saw", { timeout: 600_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "gantry-fuzz-"));
  const property = fc.asyncProperty(fc.oneof(script, mutated), async (text) =>
    saw(text, await ranIn(folder, text)),
  );
  const report = await fc.check(property, { numRuns: runs, ...seeded });
  await rm(folder, { recursive: true, force: true });
  expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
});

test("SEC-04: no text makes the reader throw or hang", { timeout: 600_000 }, () => {
  const soup = fc.array(
    fc.constantFrom(
      "$(",
      ")",
      "`",
      '"',
      "'",
      "{",
      "}",
      "((",
      "[[",
      "<<E",
      "\n",
      "a",
      " ",
      ";",
      "|",
      "&",
      "$",
      "\\",
      "eval ",
      "env ",
      "-S ",
      "xargs ",
      "find . -exec ",
    ),
    {
      maxLength: 60,
    },
  );
  const property = fc.property(
    fc.oneof(
      fc.string({ unit: "binary" }),
      soup.map((all) => all.join("")),
    ),
    (text) => {
      readShell(text, grammar);
    },
  );
  const report = fc.check(property, { numRuns: runs * 5 });
  expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
});
