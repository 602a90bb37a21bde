import type { Audit, Logger } from "@gantry/sdk";

/** The amount of people's data that was deleted by its age. */
export interface Pruned {
  readonly conversations: number;
  readonly dead_letters: number;
  readonly usage: number;
}

/** Tells log and audit what was deleted by its age. */
export function recordPruned(
  { log, needs }: { readonly log: Logger; readonly needs: { readonly audit: Audit } },
  { conversations, dead_letters, usage }: Pruned,
): void {
  const args = { conversations, dead_letters, usage };
  const counts = `conversations ${conversations}, dead letters ${dead_letters}, usage rows ${usage}`;
  log.info(args, `Deleted by age: ${counts}.`);
  const record = { event_type: "retention", tool: "", args, result: "deleted" } as const;
  void needs.audit.record({ ...record, user: "service", session_id: "" }).catch((error: Error) => {
    log.warn({ err: error }, "What was deleted by its age could not be recorded.");
  });
}
