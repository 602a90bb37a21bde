import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { place } from "./plugins.test-kit.ts";

const routes = `import { definePlugin, Routes, type RouteReply } from "@gantry/sdk";
import type {
  Budget,
  RouteAuth as Auth, // Told by its own name.
} from "@gantry/sdk";
import { asError, Circuit } from "@gantry/sdk/node";
const handle = async (): Promise<RouteReply> => ({ status: 200, text: "mine" });
const open = { name: "open", method: "GET", path: "/a", auth: "token", summary: "A.", handle } as const;
const held = { name: "held", method: "GET", path: "/b", may: "read", auth: "token", summary: "B.", handle } as const;
const nested = { name: "c", method: "GET", path: "/c", inner: { may: "read" }, auth: "token", summary: "C.", handle };
export type Mine = Auth | Budget;
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
  const open = 'the route asks for a token: add what the token needs, such as may: "read".';
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    changes: [
      "src/routes.ts:3: import Budget from @gantry/sdk/fill, in place of @gantry/sdk.",
      `src/routes.ts:4: RouteAuth ${none}`,
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

test("SDK-21: a check of a plugin of level 3 names no changes", async () => {
  await using p = await place();
  await writeFile(
    path.join(p.dir, "mine.js"),
    'export default { name: "mine", sdk: 3, summary: "Mine.", setup() {} };\n',
  );
  const { code, stdout } = await p.gantry("plugins", "check", "mine.js", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, changes: [] }]);
});
