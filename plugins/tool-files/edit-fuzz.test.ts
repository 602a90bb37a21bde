import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startTestHost } from "@gantry/sdk/testing";
import { array, assert, asyncProperty, boolean, constantFrom, integer, nat, record } from "fast-check";
import { expect, test } from "vitest";
import sandbox from "../sandbox-landlock/index.ts";
import files from "./index.ts";

const LONG_LINE = "long".repeat(1_300_000);
/** A line that is written twice in the arguments of one call, which hold 1 MiB. */
const LONG_GIVEN = "long".repeat(100_000);

/** A line of a file; its number makes it the only one of its kind. */
const line = record({
  depth: nat(3),
  text: constantFrom("if (x) {", "grüße", "}", "<s>old</s>", "a  b\tc", "$&$1\\n", "\u{1f600}"),
  trailing: constantFrom("", "", " ", "\t "),
  end: constantFrom("\n", "\r\n"),
  change: constantFrom("keep", "keep", "replace", "remove", "add after"),
});

const file = record({
  lines: array(line, { minLength: 1, maxLength: 12 }),
  unit: constantFrom("\t", "  ", "    "),
  given: constantFrom("same", "same", "\t", "  ", "    ", "no trailing blanks"),
  bom: boolean(),
  finalEnd: boolean(),
  from: nat(11),
  count: integer({ min: 1, max: 5 }),
  /** One line of some files has 5 MB, or 400 kB where it is edited. */
  long: nat(100),
});

test(
  "AGT-08: whatever the line ends, blanks and lengths: what was meant is changed, and nothing else",
  { timeout: 900_000 },
  async () => {
    await using t = await startTestHost({ plugins: [sandbox, files] });
    const at = path.join(t.runtime.workspace, "file");
    await assert(
      asyncProperty(file, async ({ lines, unit, given, bom, finalEnd, from, count, long }) => {
        const first = from % lines.length;
        const part = lines.slice(first, first + count);
        const all = lines.map(({ depth, text, trailing }, index) => {
          // Spaces after the end of the text that is searched for do not belong to it.
          const beyond = given !== "same" && index === first + part.length - 1;
          const longOne = part.includes(lines[index]!) ? LONG_GIVEN : LONG_LINE;
          const words = `${text} #${index};${index === long ? longOne : ""}`;
          return { own: unit.repeat(depth) + words + (beyond ? "" : trailing), words };
        });
        const end = (index: number): string =>
          index < lines.length - 1 || finalEnd ? lines[index]!.end : "";
        const whole = (index: number): string => all[index]!.own + end(index);
        const indent = given === "same" || given === "no trailing blanks" ? unit : given;
        const asGiven = (index: number): string =>
          given === "same" ? all[index]!.own : indent.repeat(lines[index]!.depth) + all[index]!.words;
        const asIntended = (index: number, words: string, as: string): string =>
          as.repeat(lines[index]!.depth) + words;

        const [old, wanted, expected]: string[][] = [[], [], []];
        for (const [offset, { change }] of part.entries()) {
          const index = first + offset;
          old!.push(asGiven(index));
          if (change === "keep" || change === "add after") {
            wanted!.push(asGiven(index));
            expected!.push(all[index]!.own);
          }
          if (change === "replace" || change === "add after") {
            wanted!.push(asIntended(index, `new ${index}`, indent));
            expected!.push(asIntended(index, `new ${index}`, unit));
          }
        }
        if (part.every(({ change }) => change === "keep") || wanted!.length === 0) return;

        const mark = bom ? "\ufeff" : "";
        const before = mark + lines.map((_, index) => whole(index)).join("");
        writeFileSync(at, before);
        const { text, decision } = await t.call("file_edit", {
          path: "file",
          old: old!.join("\n"),
          new: wanted!.join("\n"),
        });
        expect([decision, text]).toEqual(["allowed", expect.stringContaining("Replaced one place")]);

        const after = readFileSync(at, "utf8");
        const head =
          mark +
          lines
            .slice(0, first)
            .map((_, index) => whole(index))
            .join("");
        const last = first + part.length - 1;
        const tail =
          end(last) +
          lines
            .slice(last + 1)
            .map((_, index) => whole(last + 1 + index))
            .join("");
        const middle = after.slice(head.length, after.length - tail.length);
        expect([after.startsWith(head), after.endsWith(tail)]).toEqual([true, true]);
        expect(middle.split(/\r?\n/).map(hash)).toEqual(expected!.map(hash));
        // If each line stands for one, the line ends are those that were there.
        const paired = part.every(({ change }) => change === "keep" || change === "replace");
        const inner = part.slice(0, -1).map(({ end: own }) => own);
        const found: readonly string[] = middle.match(/\r?\n/g) ?? [];
        expect(paired ? found : inner).toEqual(inner);
      }),
      { numRuns: process.env["GANTRY_LONG"] ? 300 : 30 },
    );
  },
);

/** Short enough for a message. */
function hash(text: string): string {
  return text.length < 200 ? text : `${text.slice(0, 100)}… ${text.length}`;
}
