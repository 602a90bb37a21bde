import type { Command } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { Anchors } from "./anchors.ts";
import { errors } from "./errors.ts";
import { told } from "./acknowledged.ts";
import { verify } from "./verify.ts";

/** `audit verify`: exit 0 where the chain holds, 1 with file and line where it does not. */
export function verifyCommand(log: string, anchors: Anchors): Command {
  return {
    name: "audit verify",
    summary: "check that no line of the audit log was changed, removed or reordered",
    options: [{ flags: "--json", summary: "print one JSON object" }],
    async run({ options, out, err }) {
      const anchor = await anchors.read().catch((error: unknown) => {
        err(`The log is not compared with what the store has noted: ${asError(error).message}`);
        return undefined;
      });
      const { problem, acknowledged, ...read } = await verify(log, anchor);
      if (options["json"]) {
        const gaps = acknowledged.length > 0 ? { acknowledged } : {};
        out(
          JSON.stringify({ ok: problem === undefined, log, ...read, ...gaps, ...(problem && { problem }) }),
        );
        return problem ? 1 : 0;
      }
      if (problem) throw errors.AUDIT_CHAIN_BROKEN(problem.file, problem.line, problem.what);
      out(
        read.records === 0
          ? `There is no record in ${log} yet.`
          : `The chain holds: ${read.records} ${read.records === 1 ? "record" : "records"} (${read.first} to ${read.last}) in ${read.files} ${read.files === 1 ? "file" : "files"}, ${log}.`,
      );
      for (const gap of acknowledged) out(told(gap));
      return 0;
    },
  };
}
