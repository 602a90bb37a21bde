import { expect, test } from "vitest";
import { importsOf, isShipped, packageOf, sourcesIn } from "./helpers/sources.ts";

const card = ["tapable", "jiti", "fastify", "fastify-plugin", "smol-toml", "typebox", "undici", "ws", "pino"];

test("FLR-26: what ships imports each package of the card", () => {
  const shipped = sourcesIn("host", "plugins", "sdk").filter(isShipped);
  const imported = new Set(shipped.flatMap(importsOf).map(packageOf));
  expect(card.filter((name) => !imported.has(name))).toEqual([]);
});
