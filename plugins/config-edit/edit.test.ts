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
import { expect, test } from "vitest";
import { checkEdit } from "../../host/cli/config/check-edit.ts";
import { edit } from "./edit.ts";

type Tree = Record<string, unknown>;

const setKey = (text: string, key: readonly string[], to: unknown): string => edit(text, [[key, to]]);
const unsetKey = (text: string, key: readonly string[]): string => edit(text, [[key, undefined]]);

/**
 * Pieces that a file may hold, each valid beside the others: headers, dotted keys, inline tables,
 * quoted keys, tricky comments and strings.
 */
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
  '[[routes]]\nchannel = "a" # first\n\n[[routes]]\nchannel = "b"\n',
  "[agents.x]\n# about x\n[[agents.x.list]]\na = { b = 1 }\n",
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
  windows: boolean(),
  mark: boolean(),
}).map(({ root, tables, newline, windows, mark }) => {
  const joined = [...root, ...tables].join("");
  const text = newline ? joined : joined.trimEnd();
  return (mark ? "\ufeff" : "") + (windows ? text.replaceAll("\n", "\r\n") : text);
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
      checkEdit("config.toml", text, after, [[key, to]]);
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
      checkEdit("config.toml", text, after, [[key, undefined]]);
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
    { numRuns: process.env["GANTRY_LONG"] ? 20_000 : 200 },
  );
});

const lineEnds = (text: string): ReadonlySet<string> => new Set(text.match(/\r?\n/g));

test("CFG-05: an edit keeps the line ends of the file", () => {
  const lines = document.filter((text) => text.includes("\n"));
  assert(
    property(lines, constantFrom(...keys), integer(), (text, key, to) => {
      expect(lineEnds(setKey(text, key, to))).toEqual(lineEnds(text));
    }),
  );
});

test("CFG-05: a value that ends the file is replaced whole", () => {
  for (const value of ["0", "-0", "0.5", "10", "'x'", "[0]", "{ b = 0 }", "2026-01-02"])
    expect(setKey(`a = ${value}`, ["a"], 7)).toBe("a = 7");
});

test("CFG-05: a key goes into the innermost table in braces around it", () => {
  const text = "a = { b = { c = 1 } } # kept\n";
  expect(setKey(text, ["a", "b", "d"], 2)).toBe("a = { b = { c = 1, d = 2 } } # kept\n");
  expect(setKey("a = [{ b = {} }]\n", ["x"], 2)).toBe("a = [{ b = {} }]\nx = 2\n");
});

test("CFG-05: a first key goes above the tables and the comments that belong to them", () => {
  expect(setKey("# the gateway\n[gateway]\nport = 1\n", ["default_model"], "m")).toBe(
    'default_model = "m"\n# the gateway\n[gateway]\nport = 1\n',
  );
  expect(setKey("", ["agent", "model"], "m")).toBe('[agent]\nmodel = "m"\n');
});

test("CFG-05: a table that is taken out goes with its keys and the tables in it, and nothing else", () => {
  const kept = "# top\na = 1\n\n";
  const table = "[mcp.servers.x]\nurl = 'u' # here\n[mcp.servers.x.env]\nA = 'b'\n";
  const rest = "[mcp.servers.xy]\nurl = 'v'\n";
  expect(unsetKey(kept + table + rest, ["mcp", "servers", "x"])).toBe(kept + rest);
  expect(unsetKey(`${kept}mcp.servers.x.url = 'u'\nmcp.servers.y.url = 'v'\n`, ["mcp", "servers", "x"])).toBe(
    `${kept}mcp.servers.y.url = 'v'\n`,
  );
});
