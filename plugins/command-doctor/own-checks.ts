import type { Check, ConfigFile, Policy, Providers, Runtime, Sandbox, Store } from "@gantry/sdk";
import type { ModelRouter } from "@gantry/sdk/fill";
import { checkFiles } from "./check-files.ts";
import { checkGuards } from "./check-guards.ts";
import { checkPeople } from "./check-people.ts";
import { checkFilled, checkPlugins } from "./check-plugins.ts";
import { checkAnswer, checkProvider } from "./check-provider.ts";
import { checkHoles, checkRuntime } from "./check-runtime.ts";
import { checkService } from "./check-service.ts";
import { checkStore } from "./check-store.ts";

export interface Needs {
  readonly configFile: ConfigFile;
  readonly models: Providers;
  readonly policy: Policy;
  readonly router: ModelRouter | undefined;
  readonly sandbox: Sandbox | undefined;
  readonly runtime: Runtime;
  readonly store: Store | undefined;
}

/** Returns the checks that no plugin can make of itself; `doctor` ones reach out. */
export function ownChecks(needs: Needs): readonly Check[] {
  const { configFile, models, policy, router, sandbox, runtime, store } = needs;
  return [
    { name: "files", kind: "status", run: () => checkFiles(runtime) },
    { name: "node", kind: "status", run: async () => [checkRuntime(runtime.version)] },
    { name: "holes of node", kind: "doctor", run: async () => checkHoles() },
    { name: "service", kind: "status", run: () => checkService(runtime, configFile) },
    { name: "plugins", kind: "status", run: async () => checkPlugins(runtime.plugins) },
    { name: "provider", kind: "status", run: () => checkProvider(configFile, models) },
    { name: "provider answers", kind: "doctor", run: (signal) => checkAnswer(configFile, models, signal) },
    { name: "guards", kind: "status", run: () => checkGuards(policy, configFile) },
    { name: "people", kind: "status", run: async () => checkPeople(configFile) },
    { name: "filled", kind: "status", run: () => checkFilled(runtime) },
    { name: "sandbox", kind: "status", run: () => walls(sandbox) },
    { name: "store", kind: "status", run: () => checkStore(store, runtime) },
    { name: "router", kind: "status", run: async () => cooling(router) },
  ];
}

async function walls(sandbox: Sandbox | undefined): ReturnType<Check["run"]> {
  if (!sandbox)
    return [
      { what: "sandbox", state: "warn", detail: "no plugin starts programs or opens files, so no tool can" },
    ];
  const { files, network, detail } = await sandbox.policy();
  if (files && network) return [{ what: "sandbox", state: "ok", detail }];
  return [
    {
      what: "sandbox",
      state: "warn",
      detail,
      cure: "Use Linux with Landlock (5.13 or newer), or let tools ask before they run.",
    },
  ];
}

function cooling(router: ModelRouter | undefined): Awaited<ReturnType<Check["run"]>> {
  return (router?.cooling() ?? []).map(({ provider, until, reason }) => ({
    what: `provider ${provider}`,
    state: "warn",
    detail: `left alone until ${until}: ${reason}`,
    cure: "Wait, mend it, or set reliability.fallback_providers.",
  }));
}
