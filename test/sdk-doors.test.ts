import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import * as channel from "@gantry/sdk/channel";
import * as fill from "@gantry/sdk/fill";
import * as node from "@gantry/sdk/node";
import * as sdk from "@gantry/sdk";
import { exportsOf, typesIn } from "./helpers/sdk-surface.ts";
import { root, sourcesIn } from "./helpers/sources.ts";

const read = (file: string): string => readFileSync(path.join(root, "sdk", file), "utf8");

/** Returns the names, types among them, that stand in the braces of imports or exports. */
function namesIn(text: string, statement: RegExp): readonly string[] {
  return [...text.matchAll(statement)]
    .flatMap(([, names = ""]) => names.split(","))
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type /, "")
          .split(/ as |:/)[0] ?? "",
    )
    .filter((name) => name !== "");
}

const nameOf = (id: string): string => id.split("#")[1] ?? "";
const kits = ["channel-kit", "provider-kit", "node", "testing"].map((kit) => `${kit}/index.ts`);
const exported = ["index.ts", "fill.ts", ...kits].flatMap(exportsOf);
/** Types that others' signatures name, so that who uses those can name them too. */
const written = new Set(exported.flatMap(typesIn).map(nameOf));

test("HSE-03: each name of the sdk and of its floors is named by somebody", () => {
  const template = path.join(root, "plugins/command-plugins/template");
  const templates = readdirSync(template, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const places = [
    ...templates.map((file) => ({ file, text: readFileSync(path.join(template, file), "utf8") })),
    ...sourcesIn("host", "plugins", "examples", "test", ".ci", "sdk/testing", "sdk/channel-kit"),
    ...["README.md", ...readdirSync(path.join(root, "sdk/docs")).map((page) => `docs/${page}`)].map(
      (page) => ({
        file: page,
        text: read(page),
      }),
    ),
  ];
  const imports =
    /(?:(?:import|export)(?: type)? |const )\{([^{}]*)\} (?:from |= await import\()\\?["'](?:@gantry\/sdk|[./]+\/(?:index|fill)\.ts)/g;
  const named = new Set(places.flatMap(({ text }) => namesIn(text, imports)));
  const doors = ["index.ts", "fill.ts"].flatMap((door) => namesIn(read(door), /\{([^{}]*)\} from/g));
  expect(doors.filter((name) => !named.has(name) && !written.has(name))).toEqual([]);
});

/**
 * The state of a memory store is written and read whole; its parts are not part of the contract.
 */
const opaque = "testing/memory-store/state.ts#StoreState";

test("SDK-01: a type that an exported signature names is exported by a door, too", () => {
  const open = exported.filter((id) => id !== opaque);
  const missing = open.flatMap((id) => typesIn(id).map((type) => ({ id, type })));
  expect(missing.filter(({ type }) => !exported.includes(type))).toEqual([]);
});

const pages = ["README.md", ...readdirSync(path.join(root, "sdk/docs")).map((page) => `docs/${page}`)];

/**
 * Words in backticks that are a type, or a call, of the sdk; `Response` and `import` are the
 * platform's.
 */
function namesInPage(page: string): readonly string[] {
  const words = read(page).replaceAll(/^```[^]*?^```/gm, "");
  const spans = [...words.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  const names = spans.flatMap((span) => /^(?:[A-Z]\w*[a-z]\w*$|\w+(?=\(.*\)$))/.exec(span) ?? []);
  return names.filter((name) => !["Response", "import"].includes(name));
}

test.each(pages)("SDK-01: each name of the sdk that %s says is exported by a door", (page) => {
  const known = new Set(exported.map(nameOf));
  const members = new Set([...read("api.md").matchAll(/\b(\w+)\??[(<:]/g)].map(([, word]) => word));
  const isThere = (name: string): boolean => known.has(name) || (/^[a-z]/.test(name) && members.has(name));
  expect(namesInPage(page).filter((name) => !isThere(name))).toEqual([]);
});

test("HSE-03: no value of the sdk has two doors", () => {
  const all = [sdk, fill, channel, node].flatMap((door) => Object.keys(door));
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
});
