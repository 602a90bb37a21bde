import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { said, startGantry } from "./helpers/cli.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** A channel with a connection, and a part that is in trouble. */
const desk = `import { Channels, Checks, definePlugin, Services } from "@gantry/sdk";
export default definePlugin({
  name: "channel-desk",
  provides: [Channels, Checks, Services],
  setup(host) {
    host.provide(Channels, { name: "desk", send: async () => ({ status: "sent" }) });
    host.provide(Services, {
      name: "desk",
      start: async () => host.log.info({}, "The desk is open."),
      stop: async () => {},
    });
    const row = { what: "lamp", state: "warn", detail: "it is out" };
    host.provide(Checks, { name: "lamp", kind: "ready", run: async () => [row] });
  },
});
`;

test("OPS-01: `gantry gateway` tells alerts, and opens no channel's connection", async () => {
  using t = tempDir('extra_plugins = ["./desk.mjs"]\n[gateway]\nport = 0\n[alerts]\nevery_seconds = 1\n');
  writeFileSync(path.join(t.dir, "desk.mjs"), desk);
  const { child, ended } = startGantry(["gateway"], { dir: t.dir });
  await said(child, "stderr", /Alert: lamp: it is out/).finally(() => child.kill("SIGTERM"));
  const { code, err } = await ended;
  expect([code, err.includes("The desk is open.")]).toEqual([0, false]);
});
