// One file with everything in it but what the host brings: packages that need others are not installed, so that whoever
// accepts a plugin accepts all of its code. What it uses stands in devDependencies.
import { build } from "rolldown";

await build({
  input: "index.ts",
  platform: "node",
  external: [/^@gantry\/sdk(?:\/|$)/, /^typebox(?:\/|$)/],
  output: { file: "dist/index.js", format: "esm" },
});
