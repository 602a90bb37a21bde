import { statSync } from "node:fs";
import type { Check, CheckRow } from "@gantry/sdk";
import type { Anchors } from "./anchors.ts";
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

/** Returns where the log is and how long. That it was cut shows without reading it. */
function logRow(log: string): CheckRow {
  const what = "audit log";
  const { seq, size } = peekHead(log) ?? { seq: 0, size: 0 };
  const there = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (there >= size) return { what, state: "ok", detail: `${log}, records so far: ${seq}` };
  const detail = `${log} was cut: it has ${there} bytes, and ${size} were written`;
  return { what, state: "fail", detail, cure: "`gantry audit verify` names what is missing" };
}

/**
 * `status` tells where the log is and how long; `doctor` reads it all; while the service runs,
 * changes are alerts.
 */
export function auditChecks(log: string, enabled: boolean, anchors: Anchors): readonly Check[] {
  const watched = new WatchedChain(log, anchors);
  return [
    {
      name: "audit-file",
      kind: "status",
      async run() {
        return [enabled ? logRow(log) : off];
      },
    },
    {
      name: "audit-file-chain",
      kind: "doctor",
      async run() {
        if (!enabled) return [];
        const { problem, records, acknowledged } = await verify(log, await anchors.known());
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
