import { defineTool, type Tool } from "@gantry/sdk";
import { Type } from "typebox";
import type { OpenJobs } from "./open-jobs.ts";

/**
 * Makes the tools by which an owner makes, sees and removes jobs in a conversation, offered while
 * jobs are run.
 */
export function scheduleTools(open: () => Promise<OpenJobs>, offered: () => boolean): readonly Tool[] {
  const common = { may: "decide", offered, effects: () => ({}) } as const;
  return [
    defineTool({
      ...common,
      name: "schedule_add",
      description:
        "Makes a job: a prompt that runs later or again and again, and is answered in this chat. For a reminder let the prompt say what to remind of. Give exactly one of in, at, every and cron.",
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
          in: Type.Optional(
            Type.String({ maxLength: 10, description: "Once, so long from now: `10m`, `2h`." }),
          ),
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
      run: async (run) => {
        const { work, needs, scheduler } = await open();
        const told = await work.addWanted(needs, run);
        scheduler.look();
        return told;
      },
    }),
    defineTool({
      ...common,
      name: "schedule_list",
      deferred: true,
      description: "Lists the jobs, and when each is due.",
      input: Type.Object({}, { additionalProperties: false }),
      parallel: true,
      run: async (run) => {
        const { work, needs } = await open();
        return work.listOwn(needs.shelf, run);
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
      run: async (run) => {
        const { work, needs, scheduler } = await open();
        const told = await work.removeOwn(needs.shelf, run);
        scheduler.look();
        return told;
      },
    }),
  ];
}
