import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type ApprovalRequest, Approvals, Tools, type TurnEvent } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import autonomy from "../guard-autonomy/index.ts";
import sandbox from "../sandbox-landlock/index.ts";
import files from "./index.ts";

const plugins = [sandbox, files];

/** Edits a file that holds `before` and gives what it holds then, and what the model is told. */
async function edited(
  t: TestHost,
  before: string | Uint8Array,
  args: { readonly old: string; readonly new: string; readonly all?: boolean },
): Promise<readonly [string, string]> {
  const file = path.join(t.runtime.workspace, "file");
  writeFileSync(file, before);
  const { text } = await t.call("file_edit", { path: "file", ...args });
  return [readFileSync(file, "utf8"), text];
}

test("AGT-08: file_edit replaces the one place where a text stands and says which line it was", async () => {
  await using t = await startTestHost({ plugins });
  expect(await edited(t, "one\ntwo\nthree\n", { old: "two", new: "zwei" })).toEqual([
    "one\nzwei\nthree\n",
    "Replaced one place in file (line 2).",
  ]);
  expect(await edited(t, "a\nb\nc", { old: "b\n", new: "" })).toEqual([
    "a\nc",
    "Replaced one place in file (line 2).",
  ]);
  expect(await edited(t, "x, x\ny x\n", { old: "x", new: "z", all: true })).toEqual([
    "z, z\ny z\n",
    "Replaced 3 places in file (lines 1, 1, 2).",
  ]);
  expect((await edited(t, "aaa", { old: "aa", new: "b", all: true }))[0]).toBe("ba");
});

/** Name, file, `old`, `new`, file afterwards. */
const cases = [
  ["a file of CRLF keeps it", "a\r\nb\r\nc\r\n", "a\nb", "a\nX\nY", "a\r\nX\r\nY\r\nc\r\n"],
  ["one line becomes several", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"],
  ["a last line without an end", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"],
  ["a break before the text", "a\r\nb\r\n", "\nb", "\nX\nb", "a\r\nX\r\nb\r\n"],
  ["mixed line ends stay where they are", "a\r\nb\nc\r\n", "a\nb\nc", "a\nX\nc", "a\r\nX\nc\r\n"],
  ["CRLF asked for in a file of LF", "a\nb\n", "a\r\nb", "a\r\nX", "a\nX\n"],
  ["CRLF asked for where it stands", "a\r\nb\r\n", "a\r\nb", "a\nb", "a\nb\r\n"],
  ["a mark of byte order stays", "\ufeffa\r\nb\r\n", "a\nb\n", "c\n", "\ufeffc\r\n"],
  ["no final line end stays none", "  a\n  b", "a\nb\n", "c\nd\n", "  c\n  d"],
  ["blanks at line ends", "if x:  \n\ty\t\nz\n", "if x:\n\ty\nz", "if x:\n\tY\nz", "if x:  \n\tY\nz\n"],
  [
    "tabs for blanks",
    "\tif\n\t\tx\n",
    "    if\n        x\n",
    "    if\n        y\n            z\n",
    "\tif\n\t\ty\n\t\t\tz\n",
  ],
  ["blanks for tabs", "  if\n    x\n", "\tif\n\t\tx\n", "\tif\n\t\t\ty\n", "  if\n      y\n"],
  ["a text moved to the left", "    if\n      x\n", "if\n  x", "if\n  y\nend", "    if\n      y\n    end\n"],
  ["a text moved to the right", "if\n  x\n", "    if\n      x", "    if\n      y\n    z", "if\n  y\nz\n"],
  ["a text that begins within an indentation", "    x\n", "  x", "  x\n  y", "    x\n    y\n"],
  ["a part of a line that begins so", "    x + 1\n", "  x", "  y", "    y + 1\n"],
  ["a text above all others", "\t\tx\n", "    x\n  z", "    x\n  z", "\t\tx\n"],
] as const;

test("AGT-08: file_edit finds a text whatever its line ends, blanks and indentation, and keeps the file's", async () => {
  await using t = await startTestHost({ plugins });
  for (const [name, before, old, wanted, after] of cases)
    expect([name, (await edited(t, before, { old, new: wanted }))[0]]).toEqual([name, after]);
});
test("AGT-08: what was left out of account is told, and indentation that fits in no one way fits nowhere", async () => {
  await using t = await startTestHost({ plugins });
  expect((await edited(t, "  a\n", { old: "a\n", new: "b\n" }))[1]).toBe(
    "Replaced one place in file (line 1).",
  );
  expect((await edited(t, "  a\n    b\n", { old: "a\n b", new: "c\n d" }))[1]).toBe(
    "Replaced one place in file (line 1). It was found without regard to indentation and blanks at line ends.",
  );
  expect(await edited(t, "  a\n    b\n", { old: "a\nb", new: "c\nd" })).toEqual([
    "  a\n    b\n",
    expect.stringContaining("does not stand in file"),
  ]);
});

test("AGT-08: a miss tells the nearest lines with their numbers; the same call again is told to read first", async () => {
  await using t = await startTestHost({ plugins });
  const before = Array.from({ length: 40 }, (_, i) => `line number ${i + 1};\n`).join("");
  const args = { old: "line number 20;\nline numbr 21;", new: "x" };
  const [after, text] = await edited(t, before, args);
  expect([after, text]).toEqual([
    before,
    expect.stringContaining("19: line number 19;\n20: line number 20;\n21:"),
  ]);
  expect((await edited(t, before, args))[1]).toContain("read the file first");
  expect((await edited(t, before, { ...args, old: "no such thing" }))[1]).toContain("the nearest lines are");
  expect(
    (
      await edited(t, "alpha\nfunction compute(one, two) {\nbeta\n", {
        old: "function compote(one, two)",
        new: "",
      })
    )[1],
  ).toContain("2: function compute(one, two) {");
  await edited(t, "a", { old: "a", new: "b" });
  expect((await edited(t, before, args))[1]).toContain("the nearest lines are");
  expect((await t.call("file_edit", { path: "file", ...args }, { session: "other" })).text).toContain(
    "nearest",
  );
});

test("AGT-08: more than one place is told with the line numbers, and nothing is changed", async () => {
  await using t = await startTestHost({ plugins });
  const [after, text] = await edited(t, "x\ny\nx\r\n", { old: "x", new: "z" });
  expect(after).toBe("x\ny\nx\r\n");
  expect(text).toContain("stands more than once in file, at lines 1, 3:");
  expect((await edited(t, "x\n".repeat(100), { old: "x", new: "y" }))[1]).toContain("20 and further ones");
  expect((await edited(t, "a\r\nb\na\nb\n", { old: "a\nb", new: "z" }))[1]).toContain("at lines 1, 3");
});

test("AGT-08: bytes that are no text, and the file's mode, are kept; binary and missing files are told", async () => {
  await using t = await startTestHost({ plugins });
  const file = path.join(t.runtime.workspace, "latin");
  writeFileSync(file, Buffer.from([0xe4, 0x20, 0x61, 0x0a, 0xff, 0xa0, 0x0a]));
  chmodSync(file, 0o750);
  await t.call("file_edit", { path: "latin", old: "a", new: "ü" });
  expect([...readFileSync(file)]).toEqual([0xe4, 0x20, 0xc3, 0xbc, 0x0a, 0xff, 0xa0, 0x0a]);
  expect(statSync(file).mode & 0o777).toBe(0o750);
  writeFileSync(file, Buffer.from([1, 0, 2]));
  writeFileSync(path.join(t.runtime.workspace, "edit.ts"), "a");
  expect(await t.call("file_edit", { path: "latin", old: "a", new: "b" })).toMatchObject({
    code: "EDIT_BINARY",
  });
  expect(await t.call("file_edit", { path: "missing", old: "a", new: "b" })).toMatchObject({
    code: "FILE_MISSING",
  });
  expect(await t.call("file_edit", { path: "edit.ts", old: "a", new: "a" })).toMatchObject({
    code: "EDIT_NOTHING",
  });
  expect(await t.call("file_edit", { path: "/etc/hosts", old: "a", new: "b" })).toMatchObject({
    code: "PATH_OUTSIDE",
  });
});

test("AGT-08: text that repeats itself without end costs no more than its length", async () => {
  await using t = await startTestHost({ plugins });
  const text = "a".repeat(4_000_000);
  const [after, told] = await edited(t, text, { old: `${"a".repeat(500_000)}b`, new: "c" });
  expect([after === text, told.slice(0, 40)]).toEqual([true, "`old` does not stand in file: take it as"]);
});

test("SEC-06: file_write_enabled false: file_edit is not offered and refuses", async () => {
  await using t = await startTestHost({ plugins, config: { security: { file_write_enabled: false } } });
  expect(t.slot(Tools).get("file_edit")!.offered!()).toBe(false);
  const [after, text] = await edited(t, "a", { old: "a", new: "b" });
  expect([after, text]).toEqual(["a", expect.stringContaining("not offered")]);
});

test("AGT-08: the question for an edit shows the change as the file will have it, or why there is none", async () => {
  await using t = await startTestHost({ plugins: [...plugins, autonomy] });
  const file = path.join(t.runtime.workspace, "file");
  writeFileSync(file, "one\r\ntwo\r\nthree\r\n");
  const asked: ApprovalRequest[] = [];
  const ask = async (args: object, word: string): Promise<string> => {
    const onEvent = (event: TurnEvent): void => {
      if (event.type !== "approval_request") return;
      asked.push(event.request);
      t.slot(Approvals).decide(event.request.id, word, { user: "cli:test" });
    };
    return (await t.call("file_edit", { path: "file", ...args }, { approvals: "ask", onEvent })).text;
  };
  await ask({ old: "two", new: "zwei\ndrei" }, "deny");
  expect(readFileSync(file, "utf8")).toBe("one\r\ntwo\r\nthree\r\n");
  await ask({ old: "two", new: "zwei\ndrei" }, "allow");
  expect(readFileSync(file, "utf8")).toBe("one\r\nzwei\r\ndrei\r\nthree\r\n");
  await ask({ old: "nowhere", new: "x" }, "deny");
  await ask({ old: "r", new: "x" }, "deny");
  const [first, second, third, fourth] = asked;
  expect(first!.preview).toBe("edit file, changing:");
  expect(first!.diff!.split("\n").filter((line) => /^[-+][^-+]/.test(line.trim()))).toEqual([
    expect.stringMatching(/^-two/),
    expect.stringMatching(/^\+zwei/),
    expect.stringMatching(/^\+drei/),
  ]);
  expect(second!.diff).toBe(first!.diff);
  expect([third!.preview, fourth!.preview]).toEqual([
    "edit file, which fails, as the text does not stand there:\n-nowhere\n+x",
    "edit file, which fails, as the text stands there more than once:\n-r\n+x",
  ]);
});

test("SEC-19: a name with line breaks cannot pass for the rest of the question", async () => {
  await using t = await startTestHost({ plugins: [...plugins, autonomy] });
  const { workspace } = t.runtime;
  const asked: ApprovalRequest[] = [];
  const onEvent = (event: TurnEvent): void => {
    if (event.type !== "approval_request") return;
    asked.push(event.request);
    t.slot(Approvals).decide(event.request.id, "deny", { user: "cli:test" });
  };
  const forged = "notes.txt, a new file:\nhello…/../build.sh";
  const calls = { file_write: { content: "evil" }, file_edit: { old: "a", new: "b" } };
  for (const [tool, args] of Object.entries(calls))
    await t.call(tool, { path: forged, ...args }, { approvals: "ask", onEvent });
  expect(asked).toHaveLength(2);
  for (const { preview } of asked) {
    const [first, second = ""] = preview.split("\n");
    expect(first).toBe(`${JSON.stringify(forged)} is ${workspace}/build.sh`);
    expect(second).toMatch(/^(write 4 bytes to|edit) "notes\.txt, a new file:\\nhello…\/\.\.\/build\.sh", /);
  }
});
