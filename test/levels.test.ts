import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, tempDir } from "./helpers/cli.ts";

const source = (more = ""): string =>
  `import { definePlugin } from "@gantry/sdk";\nexport default definePlugin({ name: "mine", ${more} setup() {} });\n`;

/** Lists the plugin that these files make up, by path or by package name. */
async function list(plugin: string, files: Readonly<Record<string, string>>) {
  using home = tempDir(`plugins = ["${plugin}"]\n`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(home.dir, name)), { recursive: true });
    writeFileSync(path.join(home.dir, name), text);
  }
  return await gantry(["plugins", "list", "--json"], { dir: home.dir });
}

const packed = (gantryFacts: object) => ({
  "work/package.json": JSON.stringify({
    name: "gantry-plugin-mine",
    type: "module",
    exports: "./mine.js",
    gantry: gantryFacts,
  }),
  "work/mine.js": source(),
});

test.each([
  [1, "install a newer release of the plugin"],
  [4, "install a newer Gantry, or an older release of the plugin"],
  [99, "install a newer Gantry, or an older release of the plugin"],
])(
  "SDK-11: a plugin that its author wrote for level %s is told so, in a loose file and in a package, before it is half loaded",
  async (level, cure) => {
    const loose = await list("./mine.js", { "mine.js": source(`sdk: ${level},`) });
    const inPackage = await list("./work/mine.js", packed({ sdk: level }));
    for (const { code, err } of [loose, inPackage]) {
      expect(code).toBe(2);
      expect(err).toContain(`was written for sdk level ${level} and this host speaks level 3: ${cure}`);
      expect(err).toContain("[PLUGIN_SDK_MISMATCH]");
    }
  },
);

test("SDK-11: a plugin of the host's own level is loaded, stated in the file, in the package, or not at all", async () => {
  expect(await list("./mine.js", { "mine.js": source("sdk: 3,") })).toMatchObject({ code: 0 });
  expect(await list("./mine.js", { "mine.js": source() })).toMatchObject({ code: 0 });
  expect(await list("./work/mine.js", packed({ sdk: 3 }))).toMatchObject({ code: 0 });
  expect(await list("./work/mine.js", packed({}))).toMatchObject({ code: 0 });
});

test("SDK-11: what the sdk does not have is named, and that the plugin was written for another release", async () => {
  const text = `import { telepathy } from "@gantry/sdk";\ntelepathy();\n${source()}`;
  const { code, err } = await list("./mine.js", { "mine.js": text });
  expect(code).toBe(2);
  expect(err).toContain(
    "imports telepathy from @gantry/sdk, which the sdk of this host (level 3) does not have",
  );
  expect(err).toContain("[PLUGIN_SDK_EXPORT]");
});
