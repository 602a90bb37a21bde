import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  property,
  string,
  tuple,
  uint8Array,
} from "fast-check";
import { expect, test } from "vitest";
import { decisionOf, optionsOf } from "./permission.ts";
import { changesIn } from "./diffs.ts";
import { modeOf, modesOf } from "./modes.ts";
import { fenced, titleOf } from "./shown-call.ts";
import { wholeLines } from "./whole-lines.ts";

async function read(pieces: readonly Uint8Array[], most: number): Promise<string> {
  const out: Uint8Array[] = [];
  for await (const piece of wholeLines(
    (async function* () {
      yield* pieces;
    })(),
    most,
  ))
    out.push(piece);
  return Buffer.concat(out).toString("latin1");
}

test("ACP-01: lines within the bound come through byte for byte, and longer ones are cut to it", async () => {
  const bytes = array(uint8Array({ maxLength: 12, max: 14 }), { maxLength: 12 });
  await assert(
    asyncProperty(bytes, integer({ min: 1, max: 30 }), async (pieces, most) => {
      const lines = Buffer.concat(pieces).toString("latin1").split("\n");
      const kept = lines.map((line) => line.slice(0, most)).join("\n");
      expect(await read(pieces, most)).toBe(kept);
    }),
  );
});

test("ACP-01: nothing that a result holds ends the fence around it", () => {
  const texts = array(constantFrom("`", "```", "\n", "![x](http://e/x)", "a"), { maxLength: 30 });
  assert(
    property(texts, (pieces) => {
      const text = pieces.join("");
      const content = fenced(text);
      const shown = content.type === "content" && content.content.type === "text" ? content.content.text : "";
      const fence = /^`+/.exec(shown)?.[0] ?? "";
      expect(shown).toBe(`${fence}\n${text}\n${fence}`);
      expect([text.includes(fence), fence.length >= 3]).toEqual([false, true]);
    }),
  );
});

test("ACP-01: nothing that an argument holds ends the code in a title", () => {
  const texts = array(constantFrom("`", "``", "\n", "![x](http://e/x)", "a", " "), { maxLength: 30 });
  assert(
    property(texts, (pieces) => {
      const title = titleOf("t", { text: pieces.join("") });
      expect(title).toMatch(/^t(?:: `[^`\n]+`)?$/);
    }),
  );
});

test("ACP-01: a change in a question is read back as both of its sides, piece by piece", () => {
  const text = constantFrom("a", "-- x", "++ y", "@@ -1 +1 @@", "--- z", "+++ z", "", " ");
  const piece = array(tuple(constantFrom(" ", "-", "+"), text), { minLength: 1, maxLength: 6 });
  assert(
    property(array(piece, { minLength: 1, maxLength: 3 }), (pieces) => {
      const written = pieces.flatMap((lines) => ["@@ -1,9 +1,9 @@", ...lines.map((line) => line.join(""))]);
      const diff = ["--- f", "+++ f", ...written, "\\ No newline at end of file"].join("\n");
      const side = (lines: (typeof pieces)[number], not: string): string =>
        lines.flatMap(([sign, line]) => (sign === not ? [] : [line])).join("\n");
      const read = changesIn(diff, "/w").map(({ path, oldText, newText }) => [path, oldText, newText]);
      expect(read).toEqual(pieces.map((lines) => ["/w/f", side(lines, "+"), side(lines, "-")]));
    }),
  );
  expect(changesIn("", "/w")).toEqual([]);
});

const question = {
  id: "1",
  session: "s",
  user: "acp:a",
  tool: "t",
  args: {},
  preview: "",
  lines: 1,
  commands: 0,
};
const request = { ...question, reasons: [], warnings: [], expires: "" };

const chosen = (optionId: unknown, outcome: unknown = "selected") => ({ outcome: { outcome, optionId } });

test("ACP-01: only what was offered is a yes, and a rule only where one is offered", () => {
  expect(optionsOf(request).map(({ optionId }) => optionId)).toEqual(["allow", "deny"]);
  expect(decisionOf(request, chosen("allow"))).toBe("allow");
  expect(decisionOf(request, chosen("always"))).toBe("deny");
  expect(decisionOf({ ...request, always: "t" }, chosen("always"))).toBe("always");
  expect(decisionOf(request, chosen("allow", "cancelled"))).toBe("deny");
  const anything = string().filter((word) => word !== "allow");
  assert(
    property(anything, (word) => {
      expect(decisionOf(request, chosen(word))).toBe("deny");
    }),
  );
  for (const answer of [undefined, null, {}, { outcome: null }, { outcome: "selected" }])
    expect(decisionOf(request, answer)).toBe("deny");
});

test("ACP-01: no mode is wider than the configured level", () => {
  const levels = ["supervised", "semi-autonomous", "autonomous"] as const;
  levels.forEach((most, at) => {
    const ids = modesOf("supervised", most).availableModes.map(({ id }) => id);
    expect(ids).toEqual(levels.slice(0, at + 1));
    levels.slice(at + 1).forEach((wider) => expect(() => modeOf(wider, most)).toThrow(/no mode/));
  });
});
