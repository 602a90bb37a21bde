import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry } from "./helpers/cli.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const toml = 'api_key = "${GANTRY_T_SHELL}"\ndefault_provider = "${GANTRY_T_PROVIDER}"\n';

test("OPS-03: words that neither serve nor run a turn work without a variable, with one line that says what is left out", async () => {
  using home = tempDir(toml);
  for (const words of [["status"], ["inbox", "list"], ["sessions", "list"], ["config", "get", "api_key"]]) {
    const { code, err } = await gantry(words, { dir: home.dir });
    expect([words, code]).toEqual([words, 0]);
    const told = err.split("\n").filter((line) => line.includes("CONFIG_MISSING_VARIABLE"));
    expect(told).toEqual([
      expect.stringMatching(/left out \(and 1 more such keys\): .*\$\{GANTRY_T_SHELL\}/),
    ]);
  }
});

test("OPS-03: a word that runs a turn or serves stops where a variable is missing, and a rule of security stops every word", async () => {
  using home = tempDir(toml);
  for (const words of [["agent", "-m", "hi"], ["daemon"], ["gateway"]]) {
    const { code, err } = await gantry(words, { dir: home.dir });
    expect([words, code]).toEqual([words, 2]);
    expect(err).toContain("[CONFIG_MISSING_VARIABLE]");
  }
  using strict = tempDir('[security]\nallowed_domains = ["${GANTRY_T_SHELL}"]\n');
  const { code } = await gantry(["sessions", "list"], { dir: strict.dir });
  expect(code).toBe(2);
});

test("OPS-03: service.env beside the configuration is read by every word, below the environment, and not where others may write it", async () => {
  using home = tempDir('default_model = "${GANTRY_T_MODEL}"\n');
  const file = path.join(home.dir, "service.env");
  writeFileSync(file, "GANTRY_T_MODEL=from-file\n", { mode: 0o600 });
  const asked = ["config", "get", "default_model"];
  expect(await gantry(asked, { dir: home.dir })).toMatchObject({ code: 0, out: "from-file\n", err: "" });
  const env = { GANTRY_T_MODEL: "from-shell" };
  expect(await gantry(asked, { dir: home.dir, env })).toMatchObject({ out: "from-shell\n" });
  chmodSync(file, 0o666);
  const unsafe = await gantry(asked, { dir: home.dir });
  expect([unsafe.code, unsafe.err]).toEqual([2, expect.stringContaining("[CONFIG_UNSAFE]")]);
});
