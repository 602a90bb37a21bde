import { verbatimParts, type Outbox } from "@gantry/sdk";
import type { Job, JobRun } from "./job.ts";
import type { JobShelf } from "./shelf.ts";

/**
 * Tells the chat of a job why a run failed, once for each cause until a run does not fail of it.
 */
export async function tellFailed(
  { outbox, shelf }: { readonly outbox: Outbox; readonly shelf: JobShelf },
  { name, place }: Job,
  { state, reason = "", due }: JobRun,
): Promise<void> {
  const mark = await shelf.mark(name);
  const cause = state === "failed" ? reason : undefined;
  if (!mark || mark.failed === cause) return;
  const { failed: _, ...rest } = mark;
  await shelf.setMark(name, { ...rest, ...(cause !== undefined && { failed: cause }) });
  if (cause === undefined || !place) return;
  const parts = verbatimParts(`The job ${name} failed: ${cause}`);
  // A chat that cannot be written to is why it failed: the history and the alert tell it.
  await outbox.send({ ...place, parts, key: `job ${name} ${due} failed` }).catch(() => undefined);
}
