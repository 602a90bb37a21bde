import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { place } from "./plugins.test-kit.ts";

const routes = `import { definePlugin, Routes, type RouteReply } from "@gantry/sdk";
import {
  type Budget,
  endedText as ended, // Told by its own name, and Notice not at all.
} from "@gantry/sdk";
import { asError, Circuit } from "@gantry/sdk/node";
const handle = async (): Promise<RouteReply> => ({ status: 200, text: "mine" });
const open = { name: "open", method: "GET", path: "/a", auth: "token", summary: "A.", handle } as const;
const held = { name: "held", method: "GET", path: "/b", may: "read", auth: "token", summary: "B.", handle } as const;
const nested = { name: "c", method: "GET", path: "/c", inner: { may: "read" }, auth: "token", summary: "C.", handle };
export const mine = (budget: Budget) => [ended, budget];
export default definePlugin({ name: "mine", summary: "Mine.", provides: [Routes], setup: () => [open, held, nested, asError, Circuit] });
`;

test("SDK-21: a check of a level 2 package names each change with file and line", async () => {
  await using p = await place();
  const put = async (file: string, text: string): Promise<void> => {
    await mkdir(path.join(p.dir, path.dirname(file)), { recursive: true });
    await writeFile(path.join(p.dir, file), text);
  };
  const facts = { name: "gantry-plugin-mine", type: "module", exports: "./index.js" };
  const stated = { sdk: 2, needs: [], provides: [], taps: [] };
  await put("mine/package.json", JSON.stringify({ ...facts, gantry: stated }));
  await put("mine/index.js", 'export default { name: "mine", sdk: 2, summary: "Mine.", setup() {} };\n');
  await put("mine/src/routes.ts", routes);
  await put("mine/node_modules/other/index.js", 'import { Budget } from "@gantry/sdk";\n');
  await put("mine/dist/index.js", 'import { Budget } from "@gantry/sdk";\n');
  const { code, stdout, stderr } = await p.gantry("plugins", "check", "mine", "--json");
  expect([code, stderr]).toEqual([0, ""]);
  const none = "has no door any more: take its type from what it is part of, or keep a copy.";
  const open =
    'the route asks for a token: add may: "manage", which level 2 took for it; "talk", "read" or ' +
    '"decide" lets in more tokens.';
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    changes: [
      "src/routes.ts:3: import Budget from @gantry/sdk/fill, in place of @gantry/sdk.",
      `src/routes.ts:4: endedText ${none}`,
      `src/routes.ts:6: Circuit ${none}`,
      `src/routes.ts:8: ${open}`,
      `src/routes.ts:10: ${open}`,
      "Then state 3 as `gantry.sdk` in package.json, in place of 2.",
    ],
  });
  const said = await p.gantry("plugins", "check", "mine");
  expect(said.stderr).toMatch(
    /^The plugin mine is of level 2\. For level 3:\n {2}src\/routes\.ts:3: import /,
  );
});

const whole = `import * as sdk from "@gantry/sdk";
import type * as types from "@gantry/sdk";
export const text: string = sdk.settledText(sdk.refuse, other.laneOf);
const { userOf, textOf: plain } = sdk;
const { laneOf, ...more } = await import("@gantry/sdk");
const door = await import('@gantry/sdk/node');
export type Mine = import("@gantry/sdk").Lanes | types.Budget;
export const circuit = new door.Circuit((await import("@gantry/sdk")).masked);
import("@gantry/sdk").then(({ isWider }) => isWider);
import("@gantry/sdk/node").then((node) => node.feedMarkup);
/* sdk.allOf and import { Notice } from "@gantry/sdk" are words. */
`;

test("SDK-21: a check sees names that a whole door or a later import brings", async () => {
  await using p = await place();
  await mkdir(path.join(p.dir, "mine"));
  const facts = { name: "gantry-plugin-mine", type: "module", exports: "./index.js" };
  const gantry = { sdk: 2, needs: [], provides: [], taps: [] };
  await writeFile(path.join(p.dir, "mine/package.json"), JSON.stringify({ ...facts, gantry }));
  await writeFile(
    path.join(p.dir, "mine/index.js"),
    'export default { name: "mine", sdk: 2, summary: "Mine.", setup() {} };\n',
  );
  await writeFile(path.join(p.dir, "mine/whole.ts"), whole);
  const { stdout } = await p.gantry("plugins", "check", "mine", "--json");
  const { changes } = JSON.parse(stdout) as { readonly changes: readonly string[] };
  const named = changes.map((change) =>
    /^whole\.ts:(\d+): (?:import )?(\w+)/.exec(change)?.slice(1).join(" "),
  );
  expect(named.slice(0, -1)).toEqual([
    "3 settledText",
    "4 userOf",
    "5 laneOf",
    "7 Lanes",
    "7 Budget",
    "8 Circuit",
    "8 masked",
    "9 isWider",
    "10 feedMarkup",
  ]);
});

test("SDK-21: a check of a plugin of level 3 names no changes", async () => {
  await using p = await place();
  await writeFile(
    path.join(p.dir, "mine.js"),
    'export default { name: "mine", sdk: 3, summary: "Mine.", setup() {} };\n',
  );
  const { code, stdout } = await p.gantry("plugins", "check", "mine.js", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, changes: [] }]);
});
