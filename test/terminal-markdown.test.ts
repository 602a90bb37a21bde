import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import xterm from "@xterm/headless";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerText } from "../host/cli/markdown/answer-text.ts";
import { textWidth } from "../host/cli/markdown/text-width.ts";
import { programs } from "./helpers/programs.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const tmux = programs("tmux");
const numRuns = process.env["GANTRY_LONG"] ? 10_000 : 1_000;
// oxlint-disable-next-line no-control-regex -- the one kind of escape sequence that only colours
const colours = /\u001b\[\d+(?:;\d+)*m/g;

// oxlint-disable-next-line no-control-regex -- what would move the cursor
const moving = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Returns the bytes that a terminal gets for an answer that comes in these pieces. */
function written(pieces: readonly string[], columns = 60): string {
  let out = "";
  const answer = new AnswerText({ columns, write: (text: string | Uint8Array) => ((out += text), true) });
  for (const piece of pieces) answer.add(piece);
  answer.end();
  return out;
}

/** Cuts a text at these places. */
function cut(text: string, places: readonly number[]): readonly string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length));
}

const parts = [
  "plain words ,**bold** ,*it* ,`code` ,a_b ,[a](http://x.y) ,** ,` ,| ,<b> ,日本 ,👩‍👧 ,e\u0301 ,\\* ,&amp; ",
  "2*3*4 ,![p](q) ,\u001b[2J,\u202e,\t,x",
];
const words = fc.constantFrom(...parts.flatMap((some) => some.split(",")));
const lineStart = fc.constantFrom(
  "",
  "",
  "",
  "# ",
  "- ",
  "1. ",
  "> ",
  "  - ",
  "| ",
  "```ts",
  "---",
  "|---|---|",
);
const line = fc
  .tuple(lineStart, fc.array(words, { maxLength: 6 }))
  .map(([start, rest]) => start + rest.join(""));
const markdown = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
const places = fc.array(fc.nat(), { maxLength: 20 });

const bare = (sent: string): string => sent.replace(colours, "");

test("TTY-10: however an answer is cut into pieces, a terminal is sent the same words", () => {
  fc.assert(
    fc.property(markdown, places, (text, at) => {
      expect(bare(written(cut(text, at)))).toBe(bare(written([text])));
    }),
    { numRuns },
  );
});

test("TTY-08: TTY-10: nothing that an answer says moves the cursor, so what stands is never rewritten", () => {
  fc.assert(
    fc.property(markdown, places, (text, at) => {
      expect(bare(written(cut(text, at)))).not.toMatch(moving);
    }),
    { numRuns },
  );
});

const count = (of: string): number => bare(of).split("abc").length;

test("TTY-10: no letter or digit of an answer is lost, also where its Markdown is broken", () => {
  const letters = fc.constantFrom(
    "abc!",
    " ",
    "*",
    "**",
    "`",
    "|",
    "\n",
    "\n\n",
    "- ",
    "# ",
    "_",
    "[",
    "]",
    "(",
    ")",
  );
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 40 }), places, (parts, at) => {
      const text = parts.join("");
      expect(count(written(cut(text, at)))).toBe(count(text));
    }),
    { numRuns },
  );
});

const table = [
  "| Name | What it is | Price |",
  "|:--|---|--:|",
  `| Ann | ${"a long story ".repeat(9)}| 30 |`,
  "| 日本語 | `a \\| b` and 👩‍👧 | 1,200 |",
].join("\n");

test.each([200, 80, 40, 30])(
  "AGT-09: no line of a table is wider than a terminal of %i columns",
  (columns) => {
    const lines = written([table], columns).split("\n");
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
    const said = lines.join(" ").replace(colours, "");
    for (const word of ["Name", "Price", "日本語", "1,200", "a | b"]) expect(said).toContain(word);
    expect(said.split("story")).toHaveLength(10);
  },
);

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

test("AGT-09: a table with more columns than fit becomes a list of its rows", () => {
  const names = ["One", "Two", "Three", "Four", "Five", "Six"];
  const lines = [row(names), row(names.map(() => "---")), row(names.map((name) => `${name} of a long kind`))];
  expect(written([lines.join("\n")], 40)).toContain("One: One of a long kind\nTwo: Two of a long kind\n");
});

/** The screen of an emulator with its scrollback, rows that were wrapped put together again. */
async function screenOf(sent: string, columns: number): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 10, scrollback: 5_000, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(sent.replaceAll("\n", "\r\n"), done));
  const { active } = terminal.buffer;
  let text = "";
  for (let row = 0; row < active.length; row += 1) {
    const found = active.getLine(row);
    text += `${found?.isWrapped || row === 0 ? "" : "\n"}${found?.translateToString(true) ?? ""}`;
  }
  return text.trimEnd();
}

const prose = [
  `A paragraph ${"of many words ".repeat(30)}that wraps.`,
  "",
  "const answer = 42;",
  `  if (answer) { ${"call(answer); ".repeat(12)}}`,
  "",
  "Done: 日本語 and é.",
].join("\n");

test("TTY-07: what is copied out of the scrollback is the answer", async () => {
  const [first = "", , code = "", more = "", , last = ""] = prose.split("\n");
  const answer = `${first}\n\n\`\`\`ts\n${code}\n${more}\n\`\`\`\n\n${last}`;
  expect(await screenOf(written([...answer], 80), 80)).toBe(prose);
});

test.runIf(tmux.here)(
  `TTY-10: two terminals that nobody here wrote show the same screen${tmux.why}`,
  async () => {
    using home = tempDir();
    const sent = written([`${table}\n\n${prose}`, "\n\n- one **b**\n- two"], 80);
    const file = path.join(home.dir, "sent");
    writeFileSync(file, sent);
    const run = (...args: string[]): string =>
      execFileSync("tmux", ["-S", path.join(home.dir, "tmux"), "-f", "/dev/null", ...args], {
        encoding: "utf8",
      });
    run("new-session", "-d", "-x", "80", "-y", "10", `cat ${file}; tmux wait-for -S shown; exec cat`);
    run("wait-for", "shown");
    const shown = run("capture-pane", "-p", "-J", "-S", "-").trimEnd();
    run("kill-server");
    const [theirs, ours] = [shown, await screenOf(sent, 80)].map((text) => text.replace(/ +$/gm, ""));
    expect(theirs).toBe(ours);
  },
);
