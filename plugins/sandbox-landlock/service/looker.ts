import type { Looker } from "./workspace-runs.ts";
import type { Walled } from "./walled.ts";

/** Looks after lost runs behind the walls of this host, which open all of the workspace, and writes down what was undone. */
export function lookerOf(walled: Walled): Looker {
  return {
    async lookAfter(run) {
      const { confinement } = await walled.open();
      const findings = await confinement.lookAfter(run);
      await walled.record(
        findings.map((finding) => `left by a run that was lost: ${finding}`),
        [],
      );
    },
    decide: async (since) => (await walled.open()).confinement.decide(since),
  };
}
