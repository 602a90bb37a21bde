import { defineTool, type Tool } from "@gantry/sdk";
import { Type } from "typebox";
import { nextDueOf } from "./due.ts";
import { errors } from "./errors.ts";
import type { Job } from "./job.ts";
import { lineOf } from "./line.ts";
import { isInJob } from "./one-run.ts";
import type { JobShelf } from "./shelf.ts";

/** Makes the tools by which an owner makes, sees and removes jobs in a conversation. */
export function scheduleTools(shelf: JobShelf, changed: () => void): readonly Tool[] {
  const common = { may: "manage", effects: () => ({}) } as const;
  return [
    defineTool({
      ...common,
      name: "schedule_add",
      description:
        "Makes a job: a prompt that runs later or again and again, and is answered in this chat. For a reminder let the prompt say what to remind of. Give exactly one of cron, every and at.",
      input: Type.Object(
        {
          name: Type.String({
            pattern: "^[a-z][a-z0-9-]{0,39}$",
            description: "Short.",
            examples: ["water-plants"],
          }),
          prompt: Type.String({
            minLength: 1,
            maxLength: 10_000,
            description: "What you are told then.",
            examples: ["Remind me of the plants."],
          }),
          cron: Type.Optional(Type.String({ maxLength: 100, description: "Five fields: `0 9 * * 1-5`." })),
          every: Type.Optional(Type.String({ maxLength: 10, description: "`90m`, `2h` or `1d`." })),
          at: Type.Optional(Type.String({ maxLength: 40, description: "Once: `2027-01-31T09:00`." })),
          time_zone: Type.Optional(
            Type.String({
              maxLength: 64,
              description: "As in Europe/Berlin; that of the machine if left out.",
            }),
          ),
        },
        { additionalProperties: false },
      ),
      async run({ args, origin, user, sources }) {
        checkOutside();
        const place = origin && { channel: origin.channel, conversation: origin.conversation, to: origin.to };
        const holds = sources.material.length > 0 || sources.private.length > 0;
        const job: Job = {
          ...args,
          on_missed: "run",
          place,
          by: user,
          trust: "owner",
          ...(holds && { sources }),
          made: Date.now(),
          isConfigured: false,
        };
        const due = (await nextDueOf(job))(Date.now());
        if (due === undefined) throw errors.JOB_NEVER(job.name);
        await shelf.add(job);
        changed();
        return `The job ${job.name} is due next at ${new Date(due).toISOString()}${place ? ", and is answered here" : ", and `gantry jobs history` tells what came of it"}.`;
      },
    }),
    defineTool({
      ...common,
      name: "schedule_list",
      deferred: true,
      description: "Lists the jobs, and when each is due.",
      input: Type.Object({}, { additionalProperties: false }),
      parallel: true,
      async run() {
        checkOutside();
        const marks = await shelf.marks();
        const jobs = await shelf.all();
        const lines = await Promise.all(jobs.map((job) => lineOf(job, marks.get(job.name))));
        return lines.join("\n") || "There are no jobs.";
      },
    }),
    defineTool({
      ...common,
      name: "schedule_remove",
      deferred: true,
      description: "Removes a job for good.",
      input: Type.Object(
        { name: Type.String({ minLength: 1, maxLength: 40, examples: ["water-plants"] }) },
        { additionalProperties: false },
      ),
      async run({ args: { name } }) {
        checkOutside();
        await shelf.remove(name);
        changed();
        return `The job ${name} is removed.`;
      },
    }),
  ];
}

/** A job that makes jobs could feed itself. */
function checkOutside(): void {
  if (isInJob()) throw errors.JOB_IN_JOB();
}
