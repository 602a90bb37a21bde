import { defineConfig } from "vitest/config";

const conditions = ["gantry-source", "node", "import", "default"];

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["{sdk,host,plugins,examples,test}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "**/template/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: process.env["CI"]
      ? ["default", ["json", { outputFile: "node_modules/.cache/tests.json" }]]
      : ["default"],
  },
});
