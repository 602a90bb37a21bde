import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { talk } from "./helpers/pty.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** Returns what stands above the first prompt. */
async function firstScreen(toml: string | undefined, env: Readonly<Record<string, string>> = {}) {
  using home = tempDir(toml);
  await using person = talk(["agent"], { dir: home.dir, env });
  return await person.until(/> $/);
}

test("CLI-02: the first screen of somebody who has set up nothing offers onboard", async () => {
  const seen = await firstScreen(undefined);
  expect(seen).toContain("No model is set up yet. `gantry onboard` sets one up with a few questions.");
});

test("CLI-02: the first screen names a key of the environment and never its value", async () => {
  const seen = await firstScreen(undefined, { GENLANG_API_KEY: "canary-key" });
  expect(seen).toContain("GENLANG_API_KEY is set: `gantry onboard --provider genlang` uses it.");
  expect(seen).not.toContain("canary-key");
});

test("CLI-02: the first screen names a server of this machine that answers", async () => {
  const server = createServer((_, response) => void response.end('{"data":[{"id":"small"}]}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const seen = await firstScreen(`api_url = "http://127.0.0.1:${port}/v1"\n`);
  expect(seen).toContain(
    `local-a answers at 127.0.0.1:${port}: \`gantry onboard --provider local-a\` uses it.`,
  );
});

test("CLI-02: with a provider set up the first screen offers nothing", async () => {
  const seen = await firstScreen('default_provider = "demo"\n', { GENLANG_API_KEY: "canary-key" });
  expect(seen).not.toContain("onboard");
});
