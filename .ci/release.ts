import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { notices } from "./notices.ts";
import { placeSerial } from "./place-serial.ts";
import { lockedPackage, packageFolder, readJson, root } from "./packages.ts";

const built = path.join(root, "host/dist");
/** The kernel's walls, and with them this package, are Linux's. */
const processors = ["x64", "arm64"];

/** Version and content of a release: the name of the folder that holds it, wherever that lies. */
export interface Release {
  readonly name: string;
  readonly folder: string;
}

/**
 * All that runs, in one new folder within `into`: the built code without its maps, and the packages
 * that are not part of it, cut down to what is loaded. Its name holds the hash of its content.
 */
export function makeRelease(into: string): Release {
  const draft = path.join(into, "draft");
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  cpSync(built, draft, {
    recursive: true,
    filter: (file) => !file.endsWith(".map") && path.basename(file) !== ".built",
  });
  for (const file of filesIn(draft).filter((one) => one.endsWith(".js"))) withoutMap(path.join(draft, file));
  writeFileSync(path.join(draft, "package.json"), JSON.stringify({ type: "module" }));
  placeJiti(path.join(draft, "node_modules/jiti"));
  placeKoffi(path.join(draft, "node_modules/koffi"));
  const serial = placeSerial(path.join(draft, "node_modules"), processors);
  writeFileSync(path.join(draft, "NOTICES.txt"), notices(built, ["jiti", "koffi", ...serial]));
  const { version } = readJson(path.join(root, "package.json"));
  const name = `${String(version)}-${hashOf(draft)}`;
  const folder = path.join(into, name);
  renameSync(draft, folder);
  return { name, folder };
}

/** Every file below a folder, by its path there. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

/** Places the part of jiti that loads TypeScript; its own command line stays out. */
function placeJiti(to: string): void {
  const from = packageFolder("jiti");
  for (const file of ["lib/jiti.mjs", "dist/jiti.cjs", "dist/babel.cjs", "LICENSE"])
    cpSync(path.join(from, file), path.join(to, file));
  const { version, license } = readJson(path.join(from, "package.json"));
  const facts = { name: "jiti", version, license, type: "module", exports: "./lib/jiti.mjs" };
  writeFileSync(path.join(to, "package.json"), JSON.stringify(facts));
}

/**
 * The JavaScript of koffi and its machine code for the processors above and both C libraries, laid
 * out as it looks for them. Nothing is left to be fetched or built where it is installed.
 */
function placeKoffi(to: string): void {
  const from = packageFolder("koffi");
  for (const file of ["index.js", "src/koffi/index.js", "src/koffi/src/static.js", "LICENSE.txt"])
    cpSync(path.join(from, file), path.join(to, file));
  const { version, license } = readJson(path.join(from, "package.json"));
  const facts = { name: "koffi", version, license, type: "module", exports: "./index.js" };
  writeFileSync(path.join(to, "package.json"), JSON.stringify(facts));
  for (const processor of processors) {
    const binaries = lockedPackage(`@koromix/koffi-linux-${processor}`);
    for (const library of ["linux", "musl"]) {
      const at = `${library}_${processor}`;
      cpSync(path.join(binaries, at), path.join(to, "build/koffi", at), { recursive: true });
    }
  }
}

function withoutMap(file: string): void {
  const code = readFileSync(file, "utf8");
  writeFileSync(file, code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n"));
}

function hashOf(folder: string): string {
  const hash = createHash("sha256");
  for (const file of filesIn(folder)) {
    const bytes = readFileSync(path.join(folder, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}
