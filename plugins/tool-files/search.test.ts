import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { expect, test } from "vitest";
import guardPaths from "../guard-paths/index.ts";
import sandbox from "../sandbox-landlock/index.ts";
import files from "./index.ts";

const plugins = [sandbox, files];

function fill(t: TestHost, tree: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(tree)) {
    const file = path.join(t.runtime.workspace, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** Returns a function that calls a tool and gives its words. */
function said(t: TestHost, tool: string): (args: object) => Promise<string> {
  return async (args) => (await t.call(tool, args)).text;
}

test("AGT-08: file_search finds lines by an expression or to the letter, with lines around them", async () => {
  await using t = await startTestHost({ plugins });
  const search = said(t, "file_search");
  fill(t, {
    "src/a.ts": "one\ntwo foo(1)\nthree\nfour\nfive\nsix FOO(2)\r\nseven foo(3)\n",
    "src/deep/b.ts": "\ufefffoo(4)",
    "README.md": "foo.bar\n",
  });
  expect(await search({ pattern: "foo\\(\\d" })).toBe(
    "src/a.ts\n2:two foo(1)\n7:seven foo(3)\n\nsrc/deep/b.ts\n1:foo(4)",
  );
  expect(await search({ pattern: "FOO(2)", literal: true })).toBe("src/a.ts\n6:six FOO(2)");
  expect(await search({ pattern: "foo(2)", literal: true, ignore_case: true })).toContain("6:six");
  expect(await search({ pattern: "^foo", path: "src" })).toBe("src/deep/b.ts\n1:foo(4)");
  expect(await search({ pattern: "foo", path: "src/a.ts", context: 1 })).toBe(
    "src/a.ts\n1-one\n2:two foo(1)\n3-three\n--\n6-six FOO(2)\n7:seven foo(3)",
  );
  expect(await search({ pattern: "o", glob: "*.md" })).toBe("README.md\n1:foo.bar");
  expect(await search({ pattern: "foo", glob: "!*.{ts,js}" })).toBe("README.md\n1:foo.bar");
  expect(await search({ pattern: "foo", glob: "deep/*.ts", path: "src" })).toContain("src/deep/b.ts");
  expect(await search({ pattern: "foo", glob: "src/deep/*", path: "src" })).toContain("src/deep/b.ts");
  expect(await search({ pattern: "nowhere" })).toBe("[nothing found in 3 files]");
});

test("AGT-08: hidden, binary and ignored files and links are left out, by every ignore file from the workspace down", async () => {
  await using t = await startTestHost({ plugins });
  fill(t, {
    ".gitignore": "node_modules/\n*.log\n!kept.log\n/dist\n",
    ".git/info/exclude": "excluded",
    ".hidden/file": "x",
    "a.log": "x",
    "kept.log": "x",
    "dist/out.js": "x",
    "src/dist/in.js": "x",
    "node_modules/p/index.js": "x",
    excluded: "x",
    "src/.gitignore": "secret.txt",
    "src/.ignore": "!secret.txt\n*.min.js",
    "src/secret.txt": "x",
    "src/a.min.js": "x",
    "src/gen.log/out.js": "x",
    "src/gen/.gitignore": "!*.log",
    "src/gen/a.log/b.log": "x",
    "src/x.bin": new Uint8Array([120, 0]),
  });
  symlinkSync("src", path.join(t.runtime.workspace, "link"));
  const found = (await said(t, "file_search")({ pattern: "x" }))
    .split("\n")
    .filter((line) => !line.includes(":"));
  expect(found.filter(Boolean)).toEqual([
    "kept.log",
    "src/dist/in.js",
    "src/gen/a.log/b.log",
    "src/secret.txt",
  ]);
  const find = said(t, "file_find");
  expect(await find({ glob: "*", path: "src" })).toBe(
    "src/dist/in.js\nsrc/gen/a.log/b.log\nsrc/secret.txt\nsrc/x.bin",
  );
  expect(await find({ glob: "*.js", path: "node_modules" })).toBe("node_modules/p/index.js");
  expect(await find({ glob: "*", path: ".hidden" })).toBe(".hidden/file");
});

test("AGT-08: file_find finds files by a pattern of their names, in any folder unless it has a slash", async () => {
  await using t = await startTestHost({ plugins });
  fill(t, { "a.ts": "", "src/b.ts": "", "src/deep/c.tsx": "", "src/d.js": "", "test/b\nc.ts": "" });
  const find = said(t, "file_find");
  expect(await find({ glob: "*.ts" })).toBe('a.ts\nsrc/b.ts\n"test/b\\nc.ts"');
  expect(await find({ glob: "src/**/*.{ts,tsx}" })).toBe("src/b.ts\nsrc/deep/c.tsx");
  expect(await find({ glob: "/*.ts" })).toBe("a.ts");
  expect(await find({ glob: "*.py" })).toBe("[no file fits]");
  expect(await find({ glob: "*", limit: 2 })).toBe(
    "a.ts\nsrc/b.ts\n[only the first 2 files, there are more: narrow the pattern or the path]",
  );
  expect(await find({ glob: "{a,b}".repeat(8) })).toContain("that can be matched");
  expect(await find({ glob: "**/a/**/b/**/c/**/d/**" })).toContain("that can be matched");
});

test("AGT-08: what is found is bounded by lines, length and size, and what is left out is said", async () => {
  await using t = await startTestHost({ plugins, config: { tools: { max_output_bytes: 4_096 } } });
  const search = said(t, "file_search");
  fill(t, {
    "a.txt": "x 1\nx 2\nx 3\n",
    "long.txt": `${"a".repeat(5_000)}needle${"b".repeat(5_000)}`,
    "many.txt": `many ${"m".repeat(90)}\n`.repeat(100),
    "huge.txt": new Uint8Array(9 * 1024 * 1024).fill(120),
  });
  expect(await search({ pattern: "x \\d", limit: 2 })).toBe(
    [
      "a.txt",
      "1:x 1",
      "2:x 2",
      "[only the first 2 lines, there are more: narrow the pattern, the path or the glob]",
      "[1 files beyond 8388608 bytes were not searched]",
    ].join("\n"),
  );
  expect(await search({ pattern: "needle", path: "long.txt" })).toMatch(
    /^long\.txt\n1:…a{100}needleb{194}… \(10006 characters\)$/,
  );
  const many = await search({ pattern: "many", path: "many.txt" });
  expect([Buffer.byteLength(many) < 4_096, many.includes("there are more")]).toEqual([true, true]);
});

test("AGT-08: an expression that others never finish is searched for in time, and one that is none is told", async () => {
  await using t = await startTestHost({ plugins });
  const search = said(t, "file_search");
  fill(t, { file: `${"a".repeat(100_000)}!\n` });
  expect(await search({ pattern: "(a*)*(a|aa)+$" })).toBe("[nothing found in 1 files]");
  expect(await search({ pattern: "(" })).toContain("no regular expression");
  expect(await search({ pattern: "(?=a)" })).toContain("no look-around");
  expect(await search({ pattern: "a\\nb" })).toContain("spans lines");
  expect(await search({ pattern: "a\nb", literal: true })).toContain("spans lines");
});

/** Arguments that would keep a naive search busy for minutes. */
const endless: readonly (readonly [what: string, args: object])[] = [
  ["an expression of many states", { pattern: "(((a{9}){9}){9})".repeat(250) }],
  ["a text that nearly fits everywhere", { pattern: `ab${"a".repeat(4_000)}`, literal: true }],
];

test.each(process.env["GANTRY_LONG"] ? endless : endless.slice(0, 1))(
  "AGT-08: while %s is looked for the service does other things, and it ends when its time is up",
  async (_, args) => {
    await using t = await startTestHost({
      plugins,
      config: { tools: { file_operation_timeout_seconds: 6 } },
    });
    const search = said(t, "file_search");
    fill(t, { "hostile.txt": "a".repeat(8_000_000), "sub/other.txt": "needle\n" });
    // From here on the process that opens files is there.
    await t.call("file_read", { path: "sub/other.txt" });
    let ticks = 0;
    const ticking = setInterval(() => void (ticks += 1), 10);
    expect(await search(args)).toBe(
      "[nothing found in 0 files; stopped when the time was up, there may be more: narrow the pattern, the path or the glob]",
    );
    clearInterval(ticking);
    // About 480 come; if the search ran in the service, only those before it.
    expect(ticks).toBeGreaterThan(15);
    expect(await search({ pattern: "needle", path: "sub" })).toBe("sub/other.txt\n1:needle");
  },
);

const deep = (each: number): string => ["a", "b", "c"].map((name) => `${name}/`.repeat(each)).join("");
const patient = { tools: { file_operation_timeout_seconds: 45 } };
const numbered = (count: number, before: string): string[] =>
  Array.from({ length: count }, (_, i) => `${before}${i}`);

test.each([
  ["many rules", numbered(50_000, "*"), "repo", "repo/.gitignore"],
  ["rules that fit a deep path in many ways", numbered(1_999, "a/**/b/**/c/**/"), `repo/${deep(60)}`, "repo"],
])(
  "AGT-08: an ignore file of %s holds nobody up, and that it was not heeded is said",
  async (_, rules, folder, named) => {
    await using t = await startTestHost({ plugins, config: patient });
    fill(t, { "repo/.gitignore": rules.join("\n"), [path.join(folder, "x")]: "needle" });
    const note = `[the ignore rules of ${named} were not heeded: more than 2000, or too slow]`;
    expect((await said(t, "file_find")({ glob: "x", path: folder })).split("\n")).toEqual([
      path.join(folder, "x"),
      note,
    ]);
    expect(await said(t, "file_search")({ pattern: "needle", path: folder })).toContain(note);
  },
);

test("AGT-08: a pattern of names that fits a deep path in many ways is told to be none that can be matched", async () => {
  await using t = await startTestHost({ plugins, config: patient });
  fill(t, { [`${deep(200)}x`]: "" });
  expect(await said(t, "file_find")({ glob: `a/**/b/**/c/**/{${numbered(60, "d").join()}}` })).toContain(
    "that can be matched",
  );
});

test("AGT-08: a walk through a folder of many names ends when it is stopped", async () => {
  await using t = await startTestHost({ plugins, config: { tools: { file_operation_timeout_seconds: 1 } } });
  fill(t, { ".gitignore": numbered(1_999, "*a*").join("\n") });
  for (let i = 0; i < 5_000; i++)
    writeFileSync(path.join(t.runtime.workspace, `${"_a".repeat(100)}${i}_`), "");
  expect((await t.call("file_find", { glob: "*" })).code).toBe("TOOL_TIMEOUT");
});

test("AGT-08: files of nothing but lines are searched", async () => {
  await using t = await startTestHost({ plugins });
  fill(t, { "lines.txt": "\n".repeat(2_000_000) });
  expect(await said(t, "file_search")({ pattern: "x" })).toBe("[nothing found in 1 files]");
});

test("SEC-05: search and find stay behind the walls, and show nothing that a guard keeps from file_read", async () => {
  await using t = await startTestHost({ plugins: [...plugins, guardPaths] });
  const search = said(t, "file_search");
  fill(t, { "server.pem": "canary", "open.txt": "canary" });
  // If the walls show a secret file empty, nothing is found in it; elsewhere it is counted.
  expect(await search({ pattern: "canary" })).toMatch(
    /^open\.txt\n1:canary(?:\n\[1 files with such lines are closed to tools\])?$/,
  );
  for (const tool of ["file_search", "file_find"])
    for (const outside of ["/etc", "..", "/proc/self"])
      expect(await t.call(tool, { pattern: "x", glob: "*", path: outside })).toMatchObject({
        decision: "refused",
        code: "PATH_OUTSIDE",
      });
  await using bare = await startTestHost({ plugins });
  expect(await bare.call("file_search", { pattern: "root", path: "/etc/passwd" })).toMatchObject({
    code: "PATH_OUTSIDE",
  });
  expect(await bare.call("file_find", { glob: "*", path: "/root" })).toMatchObject({ code: "PATH_OUTSIDE" });
  expect(await bare.call("file_search", { pattern: "x", path: "missing" })).toMatchObject({
    code: "FILE_MISSING",
  });
});

test("AGT-08: what ignore files leave out is what git leaves out", async () => {
  await using t = await startTestHost({ plugins });
  const folder = path.join(t.runtime.workspace, "run");
  const name = constantFrom("a", "b", "ab", "a.js", "b.txt", "c");
  const file = array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
  const rule = constantFrom(
    "a",
    "/a",
    "a/",
    "*.js",
    "!a.js",
    "a/b",
    "**/b",
    "a/**",
    "!/b",
    "?",
    "[ab].*",
    "/*/c",
    "!c/",
  );
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  fill(t, { "run/a": "" });
  execFileSync("git", ["init", "-q"], { cwd: folder, env });
  await assert(
    asyncProperty(
      array(file, { minLength: 1, maxLength: 8 }),
      array(rule),
      array(rule.filter((one) => !one.startsWith("!"))),
      async (names, own, below) => {
        for (const old of readdirSync(folder))
          if (old !== ".git") rmSync(path.join(folder, old), { recursive: true });
        const clashes = (one: string): boolean => names.some((other) => other.startsWith(`${one}/`));
        const tree = names.filter((one) => !clashes(one) && one !== "c");
        fill(t, Object.fromEntries(tree.map((one) => [`run/${one}`, ""])));
        fill(t, { "run/.gitignore": own.join("\n"), "run/c/.gitignore": below.join("\n") });
        const args = ["ls-files", "--others", "--exclude-standard", "-z"];
        const listed = execFileSync("git", args, { cwd: folder, env, encoding: "utf8" }).split("\0");
        const expected = listed.filter((one) => one !== "" && !/(^|\/)\./.test(one));
        const { text } = await t.call("file_find", { glob: "*", path: "run" });
        const found = text.split("\n").filter((one) => one.startsWith("run/"));
        expect(found.map((one) => one.slice(4)).toSorted()).toEqual(expected.toSorted());
      },
    ),
    { numRuns: process.env["GANTRY_LONG"] ? 250 : 25 },
  );
});
