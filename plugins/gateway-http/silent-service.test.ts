import { readRunning } from "@gantry/sdk/node";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { gantry, said, startGantry, tempDir } from "../../test/helpers/cli.ts";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("OPS-01: doctor fails for a running service that answers nothing", async () => {
  using home = tempDir(`[gateway]\nport = ${await freePort()}\n`);
  const { child, ended } = startGantry(["gateway"], { dir: home.dir });
  try {
    await said(child, "stderr", /"url":"([^"]+)"/);
    await expect.poll(() => readRunning(home.dir)).toBeDefined();
    child.kill("SIGSTOP");
    const { out, code } = await gantry(["doctor", "--json"], { dir: home.dir });
    const { rows } = JSON.parse(out) as { rows: readonly { what: string }[] };
    expect(rows).toContainEqual(
      expect.objectContaining({
        what: "service ready",
        state: "fail",
        detail: "the running service does not answer within 5 s",
      }),
    );
    expect(code).not.toBe(0);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
});
