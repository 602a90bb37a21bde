import { defineConfig } from "vitest/config";

const conditions = ["gantry-source", "node", "import", "default"];

/** Files that take more than two seconds each: `npm run test:quick` leaves them out and is done in a minute. */
const slow = [
  "test/e2e/**",
  "test/{bad-input,check-apart,agent-cli,broken-plugins,readme,watch,contracts,loading,config}.test.ts",
  "plugins/command-plugins/{new,add,check}.test.ts",
  "plugins/audit-file/instants.test.ts",
  "plugins/store-sqlite/kill.test.ts",
  "plugins/provider-genlang/{model-server,two-processes}.test.ts",
  "plugins/sandbox-landlock/{limits,processes,network,without-walls}.test.ts",
];

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["{sdk,host,plugins,examples,test}/**/*.test.ts"],
    exclude: [
      "**/node_modules/**",
      "**/dist/**",
      "**/template/**",
      ...(process.env["GANTRY_QUICK"] ? slow : []),
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: process.env["CI"]
      ? ["default", ["json", { outputFile: "node_modules/.cache/tests.json" }]]
      : ["default"],
  },
});
