import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { completions } from "./completion.ts";
import { manPage } from "./man-page.ts";
import { buildOneFile } from "./one-file.ts";
import { readJson, root } from "./packages.ts";
import { makeRelease } from "./release.ts";
import { allWords } from "./words.ts";

/**
 * Writes `dist/package`, of which `npm pack` makes the package: the release, what starts it, the
 * sdk's declarations, man page, completion.
 */
const dist = path.join(root, "dist/package");
const { name, folder } = makeRelease(dist);
await buildOneFile("gantry", "host/cli/gantry.ts", dist, "esm", { GANTRY_RELEASE: name });
chmodSync(path.join(dist, "gantry.js"), 0o755);
writeSdk(path.join(dist, "sdk"));
const words = await allWords();
const { version } = readJson(path.join(root, "package.json"));
mkdirSync(path.join(dist, "man"));
writeFileSync(path.join(dist, "man/gantry.1"), manPage(words, String(version)));
mkdirSync(path.join(dist, "completion"));
for (const [file, text] of Object.entries(completions(words)))
  writeFileSync(path.join(dist, "completion", file), text);

/**
 * `@gantry/sdk` as authors of plugins install it from here: its declarations, and for tests outside
 * Gantry the code of the release itself, so that there is one copy of it.
 */
function writeSdk(to: string): void {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const project = path.join(root, ".ci/sdk.tsconfig.json");
  execFileSync(process.execPath, [tsc, "-p", project, "--emitDeclarationOnly", "--outDir", to], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const { version, description, license, type, engines, exports, dependencies } = readJson(
    path.join(root, "sdk/package.json"),
  ) as Record<string, unknown> & {
    exports: Record<string, { types: string; default: string }>;
    dependencies: Record<string, string>;
  };
  for (const [door, { default: code }] of Object.entries(exports)) {
    const file = path.join(to, code.replace("/dist/", "/"));
    const target = path.join(folder, `${doorOf(door)}.js`);
    if (!existsSync(target))
      throw new Error(`${target} is missing: add @gantry/sdk's ${door} to tsdown.config.ts`);
    const from = path.relative(path.dirname(file), target);
    writeFileSync(file, `export * from ${JSON.stringify(from.startsWith(".") ? from : `./${from}`)};\n`);
  }
  const entries = Object.entries(exports).map(([door, { types, default: code }]) => [
    door,
    { types: types.replace("/dist/", "/"), default: code.replace("/dist/", "/") },
  ]);
  const own = {
    name: "@gantry/sdk",
    version,
    description,
    license,
    type,
    engines,
    exports: Object.fromEntries(entries) as object,
    peerDependencies: { typebox: dependencies["typebox"] },
  };
  writeFileSync(path.join(to, "package.json"), `${JSON.stringify(own, undefined, 2)}\n`);
  for (const page of ["README.md", "api.md", "docs"])
    cpSync(path.join(root, "sdk", page), path.join(to, page), { recursive: true });
}

/** Returns the release's name for the code of one of the sdk's doors. */
function doorOf(door: string): string {
  if (door === ".") return "sdk";
  return door === "./testing" ? "testing" : door.replace("./", "sdk-");
}
