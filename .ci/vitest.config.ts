import { defineConfig } from "vitest/config";
import { LeftOut } from "./left-out.ts";
import { SecondTries } from "./second-tries.ts";

const conditions = ["gantry-source", "node", "import", "default"];

/** Files that take more than some seconds each: `npm run test:quick` leaves them out and is done in about a minute. */
const slow = [
  "test/e2e/**",
  "test/{agent-cli,bad-input,broken-plugins,channel-approvals,check-apart,config,config-set,contracts}.test.ts",
  "test/{examples,install,loading,outages,process-lock,provider-tables,readme,reload,service-env}.test.ts",
  "test/{spelling-fuzz,upgrade-check,watch,workspace}.test.ts",
  "plugins/*/{instants,kill,kill-storm,killed}.test.ts",
  "plugins/alert-owner/**",
  "plugins/channel-{discord/gateway,slack/connection,chatapp/send}.test.ts",
  "plugins/channel-email/{account,contract,email,hostile,reading,sending}.test.ts",
  "plugins/command-{onboard/onboard,plugins/new,plugins/add,plugins/check}.test.ts",
  "plugins/history-compact/windows.test.ts",
  "plugins/provider-genlang/{model-server,two-processes}.test.ts",
  "plugins/redact-secret-files/**",
  "plugins/sandbox-landlock/{attacked,attacks,evasions,files,guarded,limits,network,open}.test.ts",
  "plugins/sandbox-landlock/{processes,secrets,tasks,without-walls,workspace}.test.ts",
  "plugins/store-sqlite/backup.test.ts",
  "plugins/tool-browser/**",
  "plugins/tool-files/{edit,files,search}.test.ts",
];

/** They build executables and empty machines, and have no short form. */
const longOnly = ["test/{executable,fresh-machine}.test.ts"];

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
      ...(process.env["GANTRY_LONG"] ? [] : longOnly),
      ...(process.env["GANTRY_QUICK"] ? slow : []),
    ],
    // What takes so long hangs, also on a machine that has thirty other things to do.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 3,
    // A machine that does other things too decides nothing; who holds only so is named at the end.
    retry: process.env["CI"] ? 1 : 0,
    reporters: [
      "default",
      new LeftOut(),
      new SecondTries(),
      ...(process.env["CI"] ? [["json", { outputFile: "node_modules/.cache/tests.json" }] as const] : []),
    ],
  },
});
