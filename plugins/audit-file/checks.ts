import type { Check, CheckRow } from "@gantry/sdk";
import { peekHead } from "./token.ts";
import { told } from "./acknowledged.ts";
import { verify } from "./verify.ts";
import { cures, sentenceOf, WatchedChain } from "./watched-chain.ts";

const off: CheckRow = {
  what: "audit log",
  state: "warn",
  detail: "off: nothing that the agent does is recorded",
  cure: "set security.audit.enabled to true",
};

/** `status` tells where the log is and how long; `doctor` reads it all; while the service runs, changes are alerts. */
export function auditChecks(log: string, enabled: boolean): readonly Check[] {
  const watched = new WatchedChain(log);
  return [
    {
      name: "audit-file",
      kind: "status",
      async run() {
        return enabled
          ? [{ what: "audit log", state: "ok", detail: `${log}, records so far: ${peekHead(log)?.seq ?? 0}` }]
          : [off];
      },
    },
    {
      name: "audit-file-chain",
      kind: "doctor",
      async run() {
        if (!enabled) return [];
        const { problem, records, acknowledged } = await verify(log);
        const gaps = acknowledged.map((gap) => `; ${told(gap)}`).join("");
        if (!problem)
          return [
            {
              what: "audit chain",
              state: "ok",
              detail: `${log}: the chain holds, records: ${records}${gaps}`,
            },
          ];
        const cure = problem.gap ? cures.gap : cures.changed;
        return [{ what: "audit chain", state: "fail", detail: sentenceOf(problem), cure }];
      },
    },
    {
      name: "audit-file-watched",
      kind: "ready",
      run: async () => (enabled ? watched.rows() : []),
    },
  ];
}
