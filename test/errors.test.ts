import { type ErrorMaker } from "@gantry/sdk";
import { errors as common } from "../host/errors.ts";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isShipped, pluginNames, root, sourcesIn } from "./helpers/sources.ts";

const shipped = sourcesIn("sdk", "host", "plugins").filter(isShipped);
/** A table may hold the rows of another. */
const known = new Set<ErrorMaker>();
const rows: { readonly from: string; readonly maker: ErrorMaker }[] = [];

/** Every table that defineErrors() has made, wherever it stands. */
beforeAll(async () => {
  const files = shipped
    .filter(({ file, text }) => file !== "sdk/contract/errors.ts" && /\bdefineErrors\(/.test(text))
    .map(({ file }) => file);
  for (const file of files) {
    const module = (await import(path.join(root, file))) as Record<string, Record<string, ErrorMaker>>;
    for (const table of Object.values(module)) {
      for (const maker of Object.values(table ?? {}))
        if (typeof maker?.code === "string" && typeof maker.exit === "number" && !known.has(maker)) {
          known.add(maker);
          rows.push({ from: file, maker });
        }
    }
  }
});

test("ERR-01: every code stands in one table alone", () => {
  const seen = new Map<string, string>();
  const twice = rows.filter(({ from, maker: { code } }) =>
    seen.has(code) ? seen.get(code) !== from : !seen.set(code, from),
  );
  expect(twice.map(({ from, maker }) => `${maker.code}: ${seen.get(maker.code)} and ${from}`)).toEqual([]);
  expect(rows.length).toBeGreaterThan(Object.keys(common).length);
});

test("ERR-01: every code is raised somewhere", () => {
  const all = shipped.map(({ text }) => text).join("\n");
  const raised = (code: string) =>
    new RegExp(
      `\\.${code}\\b|\\[["']${code}["']\\]|\\b${code}[,\\s]*\\}|\\{[^}]*\\b${code}\\b[^}]*\\} = \\w*errors|=== "${code}"|code: "${code}"`,
    ).test(all);
  const alone = new Set(["NODE_TOO_OLD"]);
  expect(rows.map(({ maker }) => maker.code).filter((code) => !alone.has(code) && !raised(code))).toEqual([]);
});

test("ERR-01: every row is a sentence: a capital or a value first, a full stop last, no line breaks but in lists, an exit code", () => {
  const wrong = rows.filter(
    ({ maker: { text, exit } }) =>
      !/^(?:[A-Z%`]|--[a-z]|[a-z]+(?:\.[a-z_]+)+ |genlang )/.test(text) ||
      !/(?:[.?]|%s)$/.test(text) ||
      ![1, 2, 3].includes(exit),
  );
  expect(wrong.map(({ maker }) => `${maker.code}: ${maker.text}`)).toEqual([]);
});

/** A sentence that says what to do says it after a colon or a semicolon, or is itself a demand. */
const cure =
  /[:;] |\b(?:see|set|use|run|add|list|check|raise|choose|write|start|install|remove|must|needs?|wait|try|ask|keep|put|make|give|turn|update|stop|free|log in|pair|call)\b/i;

test("ERR-01: what a person can mend says how", () => {
  const bare = rows
    .filter(({ maker }) => maker.exit === 2 && !cure.test(maker.text))
    .map(({ maker }) => `${maker.code}: ${maker.text}`);
  expect(bare).toEqual([]);
});

test("ERR-01: an error takes exactly its parts, and a part cannot bring parts of its own", () => {
  for (const { maker } of rows) {
    const parts = maker.text.split("%s").length - 1;
    const { message } = maker(...Array.from({ length: parts }, (_, i) => `<${i}%s>`));
    expect(message.match(/<\d+%s>/g) ?? []).toHaveLength(parts);
    expect(message).not.toContain("undefined");
  }
});

/** The texts that the service's description promises, each with the plugin that says it. */
const promised: readonly (readonly [string, string])[] = [
  ["No provider configured", ""],
  ["Config file not found at %s", ""],
  ["Failed to parse config: invalid TOML", ""],
  ["HTTP 401", ""],
  ["HTTP 404 model not found", ""],
  ["HTTP 429", ""],
  ["HTTPS_PROXY", ""],
  ["timeout_seconds", ""],
  ["Command blocked by security policy", "guard-commands"],
  ["Path outside workspace", ""],
  ["Address already in use (port %s)", "gateway-http"],
  ["API error: 401", "channel-chatapp"],
  ["API error: 403", "channel-chatapp"],
  ["WebDriver connection failed", "tool-browser"],
  ["Failed to connect to peripheral", "tool-peripherals"],
  ["GPIO access denied", "tool-peripherals"],
];

test.each(promised)("ERR-01: the text %j of the service's description stands in a row", (text, plugin) => {
  const texts = rows.map(({ maker }) => maker.text);
  const isThere = texts.some(
    (row) => row.includes(text) || (text.startsWith("API error: ") && row.includes("API error: %s")),
  );
  expect(isThere || (plugin !== "" && !pluginNames().includes(plugin))).toBe(true);
});
