import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LeftOut } from "./left-out.ts";
import { SecondTries } from "./second-tries.ts";

const conditions = ["gantry-source", "node", "import", "default"];

/**
 * Files that take more than some seconds each: `npm run test:quick` leaves them out and is done in
 * about a minute.
 */
const slow = [
  "test/{budget,e2e}/*.test.ts",
  "test/{agent-cli,bad-input,broken-plugins,channel-approvals,check-apart,config,config-set,contracts}.test.ts",
  "test/{everyday-commands,examples,examples-outside,install,loading,process-lock,provider-tables,readme,reload,service-env}.test.ts",
  "test/{monitoring,open-questions,spelling-fuzz,upgrade-check,watch,workspace}.test.ts",
  "plugins/*/{instants,kill,kill-storm,killed,onboarding}.test.ts",
  "plugins/alert-owner/*.test.ts",
  "plugins/channel-{discord/gateway,slack/connection,chatapp/send}.test.ts",
  "plugins/channel-email/{account,contract,email,hostile,reading,sending,starttls,two-programs}.test.ts",
  "plugins/console-web/{agents,approvals,chat,config,console,extensions,health,long,looks,pairing,states,views}.test.ts",
  "plugins/command-{onboard/onboard,plugins/new,plugins/add,plugins/check}.test.ts",
  "plugins/editor-acp/{editor,folders,frames,schema,version-2}.test.ts",
  "plugins/gateway-http/ready.test.ts",
  "plugins/history-compact/windows.test.ts",
  "plugins/isolated-plugins/{bundled,facts,guard,slots,tool,walls}.test.ts",
  "plugins/inbox-worker/{lane-workers,outages}.test.ts",
  "plugins/provider-genlang/{model-server,two-processes}.test.ts",
  "plugins/mcp-client/{add,calls,conformance,hostile,official-servers,pins,processes,texts,walls}.test.ts",
  "plugins/mcp-server/{conformance,crossed,door,stdio}.test.ts",
  "plugins/redact-secret-files/*.test.ts",
  "plugins/sandbox-landlock/{attacked,attacks,evasions,files,guarded,limits,hooks,network,open}.test.ts",
  "plugins/sandbox-landlock/{processes,saved-anew,secrets,tasks,without-walls,workspace}.test.ts",
  "plugins/store-postgres/{contract,nodes,start}.test.ts",
  "plugins/store-sqlite/{backup,file}.test.ts",
  "plugins/tool-browser/*.test.ts",
  "plugins/tool-shell/tried.test.ts",
  "plugins/tool-files/{edit,edit-fuzz,files,search,undo}.test.ts",
];

/**
 * They build executables and empty machines, fill a mailbox, copy servers or hold a fault for
 * twenty minutes, and have no short form.
 */
const longOnly = [
  "test/e2e/held-faults.test.ts",
  "test/{executable,fresh-machine}.test.ts",
  "plugins/channel-email/hostile-memory.test.ts",
  "plugins/store-postgres/{chaos,failover}.test.ts",
];

/**
 * They mock modules, measure memory, end processes or set what holds for a whole one, so each has
 * one of its own.
 */
const apart = [
  "plugins/gateway-http/{bind,slow}.test.ts",
  "plugins/store-sqlite/slow-disk.test.ts",
  ...slow,
  ...longOnly,
];

const shared = {
  root: new URL("..", import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
};
const leftOut = [
  "**/node_modules/**",
  "**/dist/**",
  "**/template/**",
  ...(process.env["GANTRY_LONG"] ? [] : longOnly),
  ...(process.env["GANTRY_QUICK"] ? slow : []),
];
const runs = {
  // V8 loses count of the pages that these keys guard where threads come and go, and ends the
  // process (nodejs/node#64500).
  execArgv: ["--no-memory-protection-keys"],
  // Processes that tests start take the compiled code of earlier ones.
  env: { NODE_COMPILE_CACHE: new URL("../node_modules/.cache/compile", import.meta.url).pathname },
  // These end what hangs; no figure of time decides on a machine that does other things too.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 45_000, interval: 10 } },
  // Tests that hold only at the second try are named at the end.
  retry: process.env["CI"] ? 1 : 0,
};

export default defineConfig({
  ...shared,
  test: {
    projects: [
      {
        ...shared,
        test: {
          ...runs,
          name: "together",
          // A process of its own for each file would cost half a second of processor time a file.
          isolate: false,
          include: ["{sdk,host,plugins,examples,test}/**/*.test.ts"],
          exclude: [...leftOut, ...apart],
        },
      },
      { ...shared, test: { ...runs, name: "apart", include: apart, exclude: leftOut } },
    ],
    // Much of what tests do is to wait for processes, sockets and timers.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    reporters: [
      "default",
      new LeftOut(),
      new SecondTries(),
      ...(process.env["CI"] ? [["json", { outputFile: "node_modules/.cache/tests.json" }] as const] : []),
    ],
  },
});
