import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import * as channel from "@gantry/sdk/channel";
import * as fill from "@gantry/sdk/fill";
import * as node from "@gantry/sdk/node";
import * as sdk from "@gantry/sdk";
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

/** The type of an exported slot is written with it, though nobody names it. */
const written = ["Slot"];

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
  expect(doors.filter((name) => !named.has(name) && !written.includes(name))).toEqual([]);
});

test("HSE-03: no value of the sdk has two doors", () => {
  const all = [sdk, fill, channel, node].flatMap((door) => Object.keys(door));
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
});
