import path from "node:path";
import { runtimeFloors, runtimeVerdict } from "../plugins/shared/runtime-floors.ts";
import { expect, test } from "vitest";
import { readJson, root } from "../.ci/packages.ts";
import { sourcesIn, isShipped } from "./helpers/sources.ts";

const engined = ["package.json", "host/package.json", "sdk/package.json"];
const pins = Object.entries(
  readJson(path.join(root, ".ci/package.json"))["optionalDependencies"] as Record<string, string>,
);

/** The oldest Node that a package takes; its `engines` has the form `>=22.19`. */
function lowestOf(file: string): string {
  const { node } = readJson(path.join(root, file))["engines"] as { node: string };
  return /^>=(\d+\.\d+(?:\.\d+)?)$/.exec(node)?.[1] ?? "";
}

const atLeast = (version: string, floor: string): boolean =>
  version.localeCompare(floor, "en", { numeric: true }) >= 0;

test.each(engined)("FLR-01: the lowest line that %s takes is in the table", (file) => {
  const [line] = lowestOf(file).split(".");
  expect(runtimeFloors().map((floor) => floor.split(".")[0])).toContain(line);
});

test.each(engined)("FLR-01: %s takes every floor of the table", (file) => {
  for (const floor of runtimeFloors()) expect(atLeast(floor, lowestOf(file))).toBe(true);
});

test.each(pins)("FLR-01: npm installs on the pinned %s %s, which the table judges", (_, version) => {
  for (const file of engined) expect(atLeast(version, lowestOf(file))).toBe(true);
  const { state, install } = runtimeVerdict(version);
  expect(state).toBe(atLeast(version, install) ? "patched" : "old");
});

test("FLR-01: nothing that is shipped decodes Brotli, or asks for it", () => {
  const found = sourcesIn("sdk", "host", "plugins")
    .filter((source) => isShipped(source) && !source.file.startsWith("sdk/testing/"))
    .flatMap(({ file, text }) =>
      text
        .split("\n")
        .filter((line) => /brotli_?d|accept-encoding.*\bbr\b|(?<![.#\w])fetch\(/i.test(line))
        .filter((line) => !/^\s*(?:\/\/|\*|\/\*|(?:async )?[*#]?fetch\()/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});

test("FLR-01: what the table says of names holds: nothing that is shipped uses dns.resolve", () => {
  const found = sourcesIn("sdk", "host", "plugins")
    .filter(isShipped)
    .filter(({ text }) => text.includes("node:dns"))
    .flatMap(({ file, text }) => (/\bresolve(?:Any|Txt|Mx|Srv|4|6)?\(|Resolver/.test(text) ? [file] : []));
  expect(found).toEqual([]);
});
