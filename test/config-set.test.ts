import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { parse } from "smol-toml";
import { expect, test, vi } from "vitest";
import { configDirOf } from "../host/cli/config-dir.ts";
import { readValue } from "../host/cli/read-value.ts";
import { gantry, tempDir } from "./helpers/cli.ts";

test("CFG-05: what is typed is text for a text key, else a TOML value", () => {
  expect(readValue("12345", true)).toBe("12345");
  expect(readValue('"quoted"', true)).toBe("quoted");
  expect(readValue("12345", false)).toBe(12_345);
  expect(readValue("[1, 2]", false)).toEqual([1, 2]);
  expect(readValue("oops", false)).toBe("oops");
});

test("CFG-05: config unset brings the default back, also of a key that nobody reads, and refuses what is not there", async () => {
  using home = tempDir(
    "# kept\ndefault_model = 'm0'\nold_key = 1\n[gateway]\nport = 4000 # mine\nhost = '::1'\n",
  );
  expect(await gantry(["config", "unset", "old_key", "gateway.port"], home)).toMatchObject({ code: 0 });
  expect(readFileSync(home.file, "utf8")).toBe("# kept\ndefault_model = 'm0'\n[gateway]\nhost = '::1'\n");
  expect(await gantry(["config", "get", "gateway.port"], home)).toMatchObject({ out: "3000\n" });
  const again = await gantry(["config", "unset", "gateway.port"], home);
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining("[CONFIG_NOT_SET]") });
  expect(await gantry(["config", "unset", '"'], home)).toMatchObject({
    code: 2,
    err: expect.stringContaining("[CONFIG_NOT_SET]"),
  });
});

test("CFG-05: an empty HOME means the user's own directory, never the folder where one stands", () => {
  vi.stubEnv("HOME", "");
  expect(configDirOf(process.env)).toBe(path.join(userInfo().homedir, ".gantry"));
  vi.unstubAllEnvs();
});

test("CFG-05: kill -9 at any moment of many sets leaves a whole file, the old one or the new one", async () => {
  using home = tempDir("# kept\ndefault_model = 'm0'\n");
  const script = `
    import { writeWhole } from ${JSON.stringify(new URL("../host/cli/config/write-whole.ts", import.meta.url).href)};
    import { readFileSync } from "node:fs";
    const file = process.argv[1];
    process.stdout.write("ready");
    for (let i = 0; ; i += 1) {
      const model = "'" + "m".repeat(1 + (i % 50_000)) + "'";
      await writeWhole(file, readFileSync(file, "utf8").replace(/'.*'/, model));
    }
  `;
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(
      process.execPath,
      ["--conditions", "gantry-source", "--input-type=module", "-e", script, home.file],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(child.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, 20 + 17 * round));
    child.kill("SIGKILL");
    await once(child, "exit");
    const text = readFileSync(home.file, "utf8");
    expect(text.startsWith("# kept\n")).toBe(true);
    expect((parse(text) as { default_model: string }).default_model).toMatch(/^m+0?$/);
  }
  expect(readdirSync(home.dir).filter((name) => !name.endsWith(".tmp"))).toEqual(["config.toml"]);
});
