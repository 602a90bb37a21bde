import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import {
  array,
  assert,
  boolean,
  constantFrom,
  double,
  integer,
  letrec,
  property,
  record,
  string,
  uniqueArray,
  type Arbitrary,
} from "fast-check";
import { parse } from "smol-toml";
import { expect, test, vi } from "vitest";
import { configDirOf } from "../host/cli/config-dir.ts";
import { readValue, setKey, unsetKey } from "../host/config/edit.ts";
import { gantry, tempDir } from "./helpers/cli.ts";

type Tree = Record<string, unknown>;

/** Pieces that a file may hold, each valid beside the others: headers, dotted keys, inline tables, quoted keys, tricky comments and strings. */
const rootPieces = [
  'default_model = "gpt" # not a # "comment"\n',
  "  'api_key'   =   'sk-1'   \n",
  'plugins = [ # the set\n  "a", # first\n  "b",\n]\n',
  "# [agent]\n# model = 'x'\n",
  'agent.model = "m" # dotted\n',
  'endpoints = { genlang_url = "http://a", "hosted_url" = "http://b" } # inline\n',
  "runtime = {}\n",
  'title = """\n[security]\nshell_enabled = false # in a string\n"""\n',
  "\n\n",
] as const;
const tablePieces = [
  "[gateway]\n# port = 1\nport = 3000 # the port\n\n# about the host\nhost = '127.0.0.1'\n",
  "[security]\nallowed_domains = [ 'a.example', # one\n  '*.b.example' ]\n",
  "[security.audit] # logs\nenabled = true\n",
  '[providers."my.host"]\nmax_retries = 1\n',
  "[tools]\n\n",
  "[memory]\nretention_days = 9_0\n[ memory . deep ]\nx = 1\n",
  "[channels]\ntelegram.allowed_user_ids = [1, 2]\n",
  '[other]\ndate = 2026-01-02 03:04:05\nnumbers = [1, [2, "]"], { a = "}" }]\n',
] as const;

const document: Arbitrary<string> = record({
  root: uniqueArray(constantFrom(...rootPieces), { maxLength: 6 }),
  tables: uniqueArray(constantFrom(...tablePieces), { maxLength: 6 }),
  newline: boolean(),
}).map(({ root, tables, newline }) => {
  const text = [...root, ...tables].join("");
  return newline ? text : text.trimEnd();
});

const keys = [
  ["default_model"],
  ["default_temperature"],
  ["api_key"],
  ["plugins"],
  ["agent", "model"],
  ["agent", "provider"],
  ["endpoints", "genlang_url"],
  ["endpoints", "graph_url"],
  ["runtime", "max_processes"],
  ["gateway", "port"],
  ["gateway", "tls_enabled"],
  ["security", "shell_enabled"],
  ["security", "allowed_domains"],
  ["security", "audit", "enabled"],
  ["security", "sandboxing", "landlock_enabled"],
  ["providers", "my.host", "api_key"],
  ["providers", "local-a", "max_retries"],
  ["tools", "browser_backend"],
  ["memory", "max_entries"],
  ["channels", "telegram", "pairing_enabled"],
  ["channels", "discord", "guild_ids"],
  ["title"],
] as const;

const { value } = letrec<{ value: unknown }>((tie) => ({
  value: constantFrom(0, 1, 2).chain((kind): Arbitrary<unknown> =>
    kind === 0
      ? constantFrom<Arbitrary<unknown>>(
          string({ unit: "binary" }),
          string(),
          integer(),
          boolean(),
          double({ noNaN: true, noDefaultInfinity: true }),
        ).chain((one) => one)
      : kind === 1
        ? array(string(), { maxLength: 4 })
        : constantFrom({ a: 1 }, { "b c": { d: ["e"] } }, {}, tie("value") && ["x", { y: true }]),
  ),
}));

function withKey(tree: Tree, [first = "", ...rest]: readonly string[], to: unknown): Tree {
  const inner = tree[first];
  return {
    ...tree,
    [first]: rest.length === 0 ? to : withKey((typeof inner === "object" ? inner : {}) as Tree, rest, to),
  };
}

const comments = (text: string) =>
  text.match(/# (?:\[agent\]|model =|dotted|inline|port =|the port|about|logs|not a).*$/gm);

/** Lone surrogates cannot stand in a file. */
const clean = (text: unknown): unknown =>
  typeof text === "string"
    ? text.toWellFormed()
    : Array.isArray(text)
      ? text.map(clean)
      : Object.is(text, -0)
        ? 0
        : text;

test("CFG-05: setting any key to any value changes that value and not one byte beside it", () => {
  assert(
    property(document, constantFrom(...keys), value, (text, key, given) => {
      const before = parse(text) as Tree;
      const to = clean(given);
      const after = setKey(text, key, to);
      expect(parse(after)).toEqual(withKey(before, key, to));
      const head = [...text].findIndex((_, i) => after[i] !== text[i]);
      const start = head === -1 ? text.length : head;
      let end = 0;
      while (end < text.length - start && after.at(-1 - end) === text.at(-1 - end)) end += 1;
      const removed = text.slice(start, text.length - end);
      expect(
        key.reduce<unknown>((at, part) => (at as Tree | undefined)?.[part], before) === undefined
          ? removed
          : "",
      ).toBe("");
      expect(comments(after)).toEqual(comments(text));
    }),
    { numRuns: process.env["GANTRY_LONG"] ? 20_000 : 600 },
  );
});

/** Without the key, and without tables that hold nothing. */
function withoutKey(tree: unknown, key: readonly string[] = []): unknown {
  if (typeof tree !== "object" || tree === null || Array.isArray(tree) || tree instanceof Date) return tree;
  const entries = Object.entries(tree).flatMap(([name, value]) => {
    if (key.length === 1 && key[0] === name) return [];
    const inner = withoutKey(value, key[0] === name ? key.slice(1) : []);
    return JSON.stringify(inner) === "{}" ? [] : [[name, inner] as const];
  });
  return Object.fromEntries(entries);
}

test("CFG-05: taking any key out takes that key out and nothing else", () => {
  assert(
    property(document, constantFrom(...keys), (text, key) => {
      const after = unsetKey(text, key);
      expect(withoutKey(parse(after))).toEqual(withoutKey(parse(text), key));
      expect(unsetKey(after, key)).toBe(after);
      const gone = text.split("\n").filter((line) => !after.includes(line));
      // The title holds lines that only look like a table's.
      expect(gone.filter((line) => key[0] !== "title" && /^[#[]/.test(line))).toEqual([]);
      expect(withoutKey(parse(unsetKey(setKey(text, key, 1), key)))).toEqual(withoutKey(parse(text), key));
    }),
    { numRuns: process.env["GANTRY_LONG"] ? 20_000 : 600 },
  );
});

test("CFG-05: several keys set one after the other stand beside each other", () => {
  assert(
    property(document, array(constantFrom(...keys), { maxLength: 8 }), (text, list) => {
      let after = text;
      let tree = parse(text) as Tree;
      for (const [i, key] of list.entries()) {
        after = setKey(after, key, i);
        tree = withKey(tree, key, i);
      }
      expect(parse(after)).toEqual(tree);
    }),
    { numRuns: 200 },
  );
});

test("CFG-05: a first key goes above the tables and the comments that belong to them", () => {
  expect(setKey("# the gateway\n[gateway]\nport = 1\n", ["default_model"], "m")).toBe(
    'default_model = "m"\n# the gateway\n[gateway]\nport = 1\n',
  );
  expect(setKey("", ["agent", "model"], "m")).toBe('[agent]\nmodel = "m"\n');
});

test("CFG-05: what is typed is text for a text key, else a TOML value", () => {
  expect(readValue("12345", true)).toBe("12345");
  expect(readValue('"quoted"', true)).toBe("quoted");
  expect(readValue("12345", false)).toBe(12_345);
  expect(readValue("[1, 2]", false)).toEqual([1, 2]);
  expect(readValue("oops", false)).toBe("oops");
});

test("CFG-05: config unset brings the default back, also of a key that nobody reads, and refuses what is not there", async () => {
  using home = tempDir(
    "# kept\ndefault_model = 'm0'\nold_key = 1\n[gateway]\nport = 4000 # mine\nhost = '::1'\n",
  );
  expect(await gantry(["config", "unset", "old_key", "gateway.port"], home)).toMatchObject({ code: 0 });
  expect(readFileSync(home.file, "utf8")).toBe("# kept\ndefault_model = 'm0'\n[gateway]\nhost = '::1'\n");
  expect(await gantry(["config", "get", "gateway.port"], home)).toMatchObject({ out: "3000\n" });
  const again = await gantry(["config", "unset", "gateway.port"], home);
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining("[CONFIG_NOT_SET]") });
});

test("CFG-05: an empty HOME means the user's own directory, never the folder where one stands", () => {
  vi.stubEnv("HOME", "");
  expect(configDirOf(process.env)).toBe(path.join(userInfo().homedir, ".gantry"));
  vi.unstubAllEnvs();
});

test("CFG-05: kill -9 at any moment of many sets leaves a whole file, the old one or the new one", async () => {
  using home = tempDir("# kept\ndefault_model = 'm0'\n");
  const script = `
    import { setKey, writeWhole } from ${JSON.stringify(new URL("../host/config/edit.ts", import.meta.url).href)};
    import { readFileSync } from "node:fs";
    const file = process.argv[1];
    process.stdout.write("ready");
    for (let i = 0; ; i += 1) await writeWhole(file, setKey(readFileSync(file, "utf8"), ["default_model"], "m".repeat(1 + (i % 50_000))));
  `;
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(
      process.execPath,
      ["--conditions", "gantry-source", "--input-type=module", "-e", script, home.file],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(child.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, 20 + 17 * round));
    child.kill("SIGKILL");
    await once(child, "exit");
    const text = readFileSync(home.file, "utf8");
    expect(text.startsWith("# kept\n")).toBe(true);
    expect((parse(text) as { default_model: string }).default_model).toMatch(/^m+0?$/);
  }
  expect(readdirSync(home.dir).filter((name) => !name.endsWith(".tmp"))).toEqual(["config.toml"]);
});
