import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { emptyPlace, gantry } from "./cli.test-kit.ts";

const A = "custom:http://127.0.0.1:9/a";
const B = "custom:http://127.0.0.1:9/b";

/** Runs `onboard --provider` over a configuration; gives the error's code and the file after it. */
async function onboard(toml: string, provider: string, ...more: readonly string[]) {
  await using place = await emptyPlace();
  const file = path.join(place.configDir, "config.toml");
  await mkdir(place.configDir, { mode: 0o700 });
  await writeFile(file, toml, { mode: 0o600 });
  const flags = ["onboard", "--provider", provider, "--no-test", "--yes", ...more];
  const { stderr } = await gantry(place.configDir, flags, { NEW_KEY: "new" });
  return { code: /\[([A-Z_]+)\]/.exec(stderr)?.[1], file: await readFile(file, "utf8") };
}

test.concurrent.each([
  ["an agent.provider", `default_provider = "${A}"\napi_key = "k"\n[agent]\nprovider = "${B}"\n`],
  ["another address", `default_provider = "${A}"\n[providers.custom]\napi_key = "k"\n`],
])("FLR-22: onboard does not leave the key of default_provider to %s", async (_, toml) => {
  expect(await onboard(toml, B)).toEqual({ code: "ONBOARD_FOREIGN_KEY", file: toml });
});

test.concurrent.each([
  [
    "an agent.provider beside it",
    `default_provider = "${A}"\napi_key = "k"\n[agent]\nprovider = "${B}"\n`,
    A,
  ],
  ["a trailing slash", `default_provider = "${A}/"\napi_key = "k"\n`, A],
  ["an alias", `default_provider = "local-a-server"\napi_key = "k"\n`, "local-a"],
  ["a key of its own", `default_provider = "${A}"\napi_key = "k"\n[providers."${B}"]\napi_key = "b"\n`, B],
])("FLR-22: onboard takes a provider that gets its own key: %s", async (_, toml, provider) => {
  const done = await onboard(toml, provider);
  expect(done.code).toBeUndefined();
  expect(done.file).toContain(`default_provider = "${provider}"`);
});

test.concurrent("FLR-22: a new key replaces that of the kind", async () => {
  const toml = `default_provider = "${A}"\n[providers.custom]\napi_key = "old"\nmax_retries = 1\n`;
  const { code, file } = await onboard(toml, B, "--api-key-env", "NEW_KEY");
  expect(code).toBeUndefined();
  expect(file).toContain('api_key = "${NEW_KEY}"');
  expect(file).toContain("max_retries = 1");
  expect(file).not.toContain("old");
});
