import { Type, type Static } from "typebox";
import { toldTo, type Job } from "./job.ts";

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

/** `[jobs.<name>]` */
export const ConfiguredJob = Type.Object(
  {
    cron: text(
      "Five fields: minute, hour, day of the month, month, day of the week. One of cron, every and at.",
    ),
    every: text("A number of minutes, hours or days, as in `90m`, `2h` or `1d`. One of cron, every and at."),
    at: text("Once, as in `2027-01-31T09:00`. One of cron, every and at."),
    time_zone: text("As in Europe/Berlin. Default: that of the machine."),
    prompt: Type.String({ minLength: 1, description: "What the model is told at each due time." }),
    agent: text("Under whose name it works."),
    channel: text("Where the answer is said, with `to`; without it `gantry jobs history` tells it."),
    to: text("The channel's own address of whoever is told."),
    model: text("In place of the configured one."),
    budget: Type.Optional(
      Type.Integer({ minimum: 1, description: "Tokens in and out that one run may take at most." }),
    ),
    on_missed: Type.Optional(
      Type.Union([Type.Literal("run"), Type.Literal("skip")], {
        description:
          "What becomes of due times more than five minutes late: the newest is run (`run`, the default), or none (`skip`).",
      }),
    ),
  },
  { additionalProperties: false },
);

/** Returns the jobs of the configuration; their rights are the owner's, who wrote it. */
export function configuredJobs(jobs: Readonly<Record<string, Static<typeof ConfiguredJob>>>): readonly Job[] {
  return Object.entries(jobs).map(([name, { channel, to, ...job }]) => ({
    on_missed: "run",
    ...job,
    name,
    ...toldTo(channel, to, "jobs:owner"),
    made: 0,
    isConfigured: true,
  }));
}
