import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Plugin } from "@gantry/sdk";
import { apiReport } from "../.ci/api-report.ts";
import { withDoors } from "../.ci/page-doors.ts";
import { allPlugins, configReference, errorReference } from "../.ci/reference.ts";

let plugins: readonly Plugin[] = [];
const read = (name: string): Promise<string> =>
  readFile(path.join(import.meta.dirname, "../host/reference", name), "utf8");

beforeAll(async () => {
  plugins = await allPlugins();
});

test("CFG-07: the configuration reference says what the schemas say (npm run reference)", async () => {
  expect(await read("config.md")).toBe(configReference(plugins));
});

test("ERR-01: the error reference says what the tables say (npm run reference)", async () => {
  expect(await read("errors.md")).toBe(errorReference(plugins));
});

test("SDK-01: the sdk's public surface is as it is written down (npm run reference)", async () => {
  expect(await readFile(path.join(import.meta.dirname, "../sdk/api.md"), "utf8")).toBe(apiReport());
});

const pages = path.join(import.meta.dirname, "../sdk/docs");
test.each(readdirSync(pages))(
  "HSE-03: %s says the door of each name that it speaks of (npm run reference)",
  async (page) => {
    const text = await readFile(path.join(pages, page), "utf8");
    expect(text).toBe(withDoors(text));
  },
);
