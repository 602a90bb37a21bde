import type { Audit, Command } from "@gantry/sdk";
import type { Anchors } from "./anchors.ts";
import { errors } from "./errors.ts";
import { verify } from "./verify.ts";

/**
 * `audit acknowledge`: records that are missing, as after a rotation from outside, are named by the
 * chain itself from then on.
 */
export function acknowledgeCommand(log: string, audit: Audit, anchors: Anchors): Command {
  return {
    name: "audit acknowledge",
    summary: "say why records of the audit log are missing, so that verify holds again",
    args: ["<reason>"],
    async run({ args: [reason = ""], out }) {
      for (let last: string | undefined; ;) {
        const { problem } = await verify(log, await anchors.read());
        if (!problem) {
          if (last === undefined) out("The chain holds: there is nothing to acknowledge.");
          return 0;
        }
        const { file, line, what, gap } = problem;
        // One that is still there after it was acknowledged is more than a gap.
        if (!gap || what === last) throw errors.AUDIT_NO_GAP(file, line, what);
        await audit.record({
          event_type: "audit_gap",
          tool: "",
          args: { ...gap, reason },
          result: "acknowledged",
          user: "owner",
          session_id: "",
        });
        if (problem.isUnanchored) await anchors.accept();
        last = what;
        out(`Acknowledged: ${what}.`);
      }
    },
  };
}
