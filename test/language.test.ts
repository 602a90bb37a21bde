import { expect, test } from "vitest";
import { commentsOf, type Comment } from "./helpers/comments.ts";
import { sourcesIn } from "./helpers/sources.ts";

/** The comments of the project; those of fixtures are kept as they were. */
const comments = sourcesIn("sdk", "host", "plugins", "examples", "test", ".ci")
  .filter(({ file }) => !file.startsWith("test/fixtures/") && file !== "test/language.test.ts")
  .flatMap(commentsOf);

interface Rule {
  readonly says: string;
  readonly breaks: (comment: Comment) => boolean;
  readonly wrong: string;
}

const rules: readonly Rule[] = [
  {
    says: "begins with its verb or its noun, not with a clause that lacks its head",
    breaks: ({ text }) => /^(?:What|Of|So long|Whose|Whether|Such|Who|Where|How)\b/.test(text),
    wrong: "/** What a person is shown. */",
  },
  {
    says: "denies with `not a`, unless it says that there is none",
    breaks: ({ text }) => /(?<!\bthere )\b(?:is|are|was|were|be) no (?!longer\b|more\b)/i.test(text),
    wrong: "// A folder is no file.",
  },
  {
    says: "has no word that was carried over from another language",
    breaks: ({ text }) => /\b(?:in vain|anew|puts? aside|looked after|mend(?:s|ed|ing)?)\b/i.test(text),
    wrong: "// The turn is begun anew.",
  },
  {
    says: "states a condition by `if` or `when`, as `where` is a place",
    breaks: ({ text }) =>
      /\b(?:throws|undefined|true|false|null|empty|nothing|only|done|even) where\b/i.test(text),
    wrong: "/** Throws where the file is missing. */",
  },
  {
    says: "has lines of at most 100 characters, but for an address",
    breaks: ({ lines }) => lines.some((line) => line.length > 100 && !line.includes("://")),
    wrong: `// ${"word ".repeat(20)}`,
  },
];

test.each(rules)("HSE-04: a comment $says", ({ breaks, wrong }) => {
  const broken = comments.filter(breaks).map(({ file, line }) => `${file}:${line}`);
  expect(broken).toEqual([]);
  expect(commentsOf({ file: "wrong.ts", text: wrong }).some(breaks)).toBe(true);
});
