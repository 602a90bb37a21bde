import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { definePlugin, Store, type Plugin } from "@gantry/sdk";
import type { TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { storeFile } from "../../test/helpers/stores.ts";
import { createStore } from "../store-sqlite/store.ts";
import { authServer, guardedServer } from "./auth-server.test-kit.ts";
import { everywhere, fileOf, login, startFar, yes } from "./login.test-kit.ts";
import { accept } from "./mcp.test-kit.ts";

/** The store of a node, as one that several share gives it. */
function nodeStore(file: string, node: string): Plugin {
  return definePlugin({
    name: "store-of-node",
    provides: [Store],
    setup(host) {
      const { store, close } = createStore(file);
      host.provide(Store, { ...store, node });
      host.onDispose(close);
    },
  });
}

/** Two nodes with directories of their own, one of which has logged in and was copied. */
async function twoNodes() {
  const auth = await authServer();
  const server = await guardedServer(auth);
  const { file } = storeFile();
  const start = (node: string): Promise<TestHost> =>
    startFar(server.url, everywhere, {}, undefined, nodeStore(file, node));
  const [a, b] = [await start("a"), await start("b")];
  await login(a);
  mkdirSync(path.dirname(fileOf(b)), { recursive: true, mode: 0o700 });
  copyFileSync(fileOf(a), fileOf(b));
  await accept(a, "far");
  await accept(b, "far");
  const begun = auth.asked.length;
  return {
    a,
    b,
    file,
    hum: async (node: TestHost) => (await node.call("far_hum", {}, yes)).text,
    expire: () => auth.valid.clear(),
    grants: () => auth.asked.slice(begun).map((form) => form.get("grant_type")),
    async [Symbol.asyncDispose]() {
      await a.stop();
      await b.stop();
    },
  };
}

test("SCL-04: two nodes whose token has ended at once refresh it once", async () => {
  await using t = await twoNodes();
  t.expire();
  expect(await Promise.all([t.hum(t.a), t.hum(t.b)])).toEqual(["hummed", "hummed"]);
  expect(t.grants()).toEqual(["refresh_token"]);
});

test("SCL-04: a node that missed several refreshes of another goes on with the newest", async () => {
  await using t = await twoNodes();
  for (let times = 0; times < 3; times += 1) {
    t.expire();
    expect(await t.hum(t.a)).toBe("hummed");
  }
  expect(await t.hum(t.b)).toBe("hummed");
  expect(t.grants()).toEqual(["refresh_token", "refresh_token", "refresh_token"]);
  // A login that was taken over is refreshed, too.
  t.expire();
  expect(await t.hum(t.b)).toBe("hummed");
  expect(await t.hum(t.a)).toBe("hummed");
  expect(t.grants()).toHaveLength(4);
});

test("SCL-04: tokens that nodes share are nowhere in the store in the clear", async () => {
  await using t = await twoNodes();
  t.expire();
  await t.hum(t.a);
  const files = [t.file, `${t.file}-wal`].filter((file) => existsSync(file));
  const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
  expect(bytes.includes("mcp-login")).toBe(true);
  expect(bytes.includes("CANARY")).toBe(false);
});
