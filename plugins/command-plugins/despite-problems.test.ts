import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { codeOf, packageOf, place } from "./plugins.test-kit.ts";

test(
  "SDK-03: what a configuration that does not start lacks can be installed, checked and removed all the same",
  { timeout: 300_000 },
  async () => {
    await using p = await place();
    const configure = (text: string) => writeFile(path.join(p.configDir, "config.toml"), text);
    await writeFile(path.join(p.dir, "weather.tgz"), packageOf({}));
    await mkdir(path.join(p.dir, "own"));
    await writeFile(path.join(p.dir, "own/index.mjs"), codeOf([], "own"));

    await configure('extra_plugins = ["weather"]\n');
    expect((await p.gantry("plugins", "add", "weather.tgz", "--yes")).stdout).toBe(
      "Installed gantry-plugin-weather 1.0.0\n",
    );
    expect((await p.gantry("plugins", "list")).stdout).toContain("Weather.");

    await configure('plugins = ["command-sessions"]\n');
    expect((await p.gantry("sessions", "list")).stderr).toContain("SLOT_EMPTY");
    expect((await p.gantry("plugins", "remove", "weather")).stdout).toBe("Removed gantry-plugin-weather\n");
    const checked = await p.gantry("plugins", "check", "own/index.mjs");
    expect(checked.stdout).toContain("The plugin own");
    expect((await p.gantry("plugins", "bogus")).stderr).toMatch(/SLOT_EMPTY[\s\S]*Unknown command/);
  },
);

test("SDK-03: a plugin is inspected by a path from here", { timeout: 300_000 }, async () => {
  await using p = await place();
  await mkdir(path.join(p.dir, "own"));
  await writeFile(path.join(p.dir, "own/index.mjs"), codeOf([], "own"));
  expect((await p.gantry("plugins", "inspect", "own/index.mjs")).stdout).toMatch(/^name +own$/m);
});
