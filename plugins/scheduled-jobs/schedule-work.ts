import type { ToolRun } from "@gantry/sdk";
import { rightsNow } from "../shared/rights-now.ts";
import { nextDueOf, timeAfter } from "./due.ts";
import { errors } from "./errors.ts";
import type { Job, Schedule } from "./job.ts";
import { lineOf } from "./line.ts";
import { isInJob, type RunNeeds } from "./one-run.ts";
import type { JobShelf } from "./shelf.ts";

/** A schedule with its name and prompt, as the tool takes it. */
export interface Wanted extends Schedule {
  /** The time from now on, as in `10m`; in place of `at`. */
  readonly in?: string;
  readonly name: string;
  readonly prompt: string;
}

/** Makes a job of whoever asks, in the name of the agent that is asked. */
export async function addWanted(
  { shelf, doors, people }: RunNeeds & { readonly shelf: JobShelf },
  { args, origin, user, sources, agent }: ToolRun<Wanted>,
): Promise<string> {
  checkOutside();
  const rights = await rightsNow(doors, user, "owner", people);
  if ("lost" in rights) throw errors.JOB_RIGHTS(rights.lost);
  const place = origin && { channel: origin.channel, conversation: origin.conversation, to: origin.to };
  const holds = sources.material.length > 0 || sources.private.length > 0;
  const { in: after, ...wanted } = args;
  const job: Job = {
    ...wanted,
    ...(after !== undefined && { at: timeAfter(wanted.name, after) }),
    on_missed: "run",
    place,
    ...(agent !== undefined && { agent }),
    by: user,
    trust: "owner",
    ...(holds && { sources }),
    made: Date.now(),
    isConfigured: false,
  };
  const due = (await nextDueOf(job))(Date.now());
  if (due === undefined) throw errors.JOB_NEVER(job.name, new Date().toISOString());
  await shelf.add(job);
  const told = place ? "is answered here" : "`gantry jobs history` tells what came of it";
  return `The job ${job.name} is due next at ${new Date(due).toISOString()}, and ${told}.`;
}

/** An agent is told of its own jobs alone. */
export async function listOwn(shelf: JobShelf, { agent }: ToolRun<object>): Promise<string> {
  checkOutside();
  const marks = await shelf.marks();
  const jobs = (await shelf.all()).filter((job) => agent === undefined || job.agent === agent);
  const lines = await Promise.all(jobs.map((job) => lineOf(job, marks.get(job.name))));
  return lines.join("\n") || "There are no jobs.";
}

/** An agent removes its own jobs alone. */
export async function removeOwn(
  shelf: JobShelf,
  { args: { name }, agent }: ToolRun<{ readonly name: string }>,
): Promise<string> {
  checkOutside();
  if (agent !== undefined && (await shelf.named(name)).agent !== agent) throw errors.JOB_UNKNOWN(name);
  await shelf.remove(name);
  return `The job ${name} is removed.`;
}

/** A job that makes jobs could feed itself. */
function checkOutside(): void {
  if (isInJob()) throw errors.JOB_IN_JOB();
}
