import { build } from "tsdown";
import { root } from "./packages.ts";

/** Builds one source file of the host, with all that it imports, into one file named for `name`. */
export async function buildOneFile(
  name: string,
  source: string,
  into: string,
  format: "esm" | "cjs",
  constants: Readonly<Record<string, unknown>>,
): Promise<void> {
  const define = Object.entries(constants).map(([key, value]) => [key, JSON.stringify(value)]);
  await build({
    cwd: root,
    config: false,
    entry: { [name]: source },
    outDir: into,
    format,
    platform: "node",
    target: "node22",
    fixedExtension: format === "cjs",
    dts: false,
    clean: false,
    logLevel: "error",
    minify: true,
    define: Object.fromEntries(define) as Record<string, string>,
    inputOptions: {
      resolve: { conditionNames: ["gantry-source", "node", "import", "default"] },
      // Keeps only the functions that it calls of the rooms it imports from.
      treeshake: { moduleSideEffects: false },
    },
  });
}
