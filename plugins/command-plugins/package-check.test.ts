import { expect, test } from "vitest";
import { checkPackage } from "./package-check.ts";

const files = (facts: object): ReadonlyMap<string, Uint8Array> => {
  const whole = { name: "gantry-plugin-w", version: "1.0.0", exports: "./index.js", gantry: {}, ...facts };
  return new Map([
    ["package.json", Buffer.from(JSON.stringify(whole))],
    ["index.js", Buffer.from("")],
  ]);
};
const range = (text: unknown): object => ({ peerDependencies: { "@gantry/sdk": text } });

test.each([
  [{ gantry: { sdk: 1 } }, "it was written for sdk level 1 and this host speaks level 3"],
  [{ gantry: { sdk: 4 } }, "it was written for sdk level 4 and this host speaks level 3"],
  [{ gantry: { sdk: "two" } }, "it was written for sdk level two and this host speaks level 3"],
  [range("^0.2.0"), "it asks for @gantry/sdk ^0.2.0 and this is 0.1.3"],
  [range(">=1 || ~0.0.9"), "it asks for @gantry/sdk >=1 || ~0.0.9 and this is 0.1.3"],
  [range("no range"), "it asks for @gantry/sdk no range and this is 0.1.3"],
  [range(7), "it asks for @gantry/sdk 7 and this is 0.1.3"],
])("SDK-11: plugins add refuses %j: %s", async (facts, words) => {
  await expect(checkPackage("w", files(facts), "0.1.3")).rejects.toMatchObject({
    code: "PLUGINS_PACKAGE",
    message: expect.stringContaining(words),
  });
});

test.each([
  { gantry: { sdk: 2 } },
  {},
  range("^0.1.0"),
  range(">=0.1 <1"),
  range("*"),
  { gantry: { sdk: 2 }, ...range("^9.0.0") },
])("SDK-11: plugins add takes %j; the level goes before the range", async (facts) => {
  expect(await checkPackage("w", files(facts), "0.1.3")).toMatchObject({ version: "1.0.0" });
});

test("SEC-20: whether a package states its sdk level is known before any of its code runs, and said", async () => {
  expect(await checkPackage("w", files({ gantry: { sdk: 2 } }), "0.1.3")).toMatchObject({ hasLevel: true });
  expect(await checkPackage("w", files({}), "0.1.3")).toMatchObject({ hasLevel: false });
});
