import { defineErrors, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  JOB_NAME: usage(
    "`%s` is not a name for a job: write lower case letters, digits and hyphens, as in water-plants.",
  ),
  JOB_WHEN: usage("The job %s needs exactly one of cron, every and at: it has %s."),
  JOB_CRON: usage(
    "The cron pattern `%s` of the job %s cannot be read (%s): write five fields, as in `0 9 * * 1-5`.",
  ),
  JOB_EVERY: usage("The job %s cannot run every `%s`: write a number with m, h or d, from 1m on, as in 90m."),
  JOB_AT: usage("The job %s cannot run at `%s`: write a time that exists, as in 2027-01-31T09:00."),
  JOB_TIME_ZONE: usage(
    "The job %s names the time zone `%s`, which this system does not know: write one as in Europe/Berlin.",
  ),
  JOB_NEVER: usage(
    "The job %s would never run: its time is over (it is %s now), or no day fits its pattern.",
  ),
  JOB_PLACE: usage(
    "The job %s names a channel without whom to tell, or the other way round: give both, or neither.",
  ),
  JOB_AGENT: usage("The job %s names the agent `%s`, which [agents] does not know: correct its name."),
  JOB_UNKNOWN: usage("There is no job %s: `gantry jobs list` names them."),
  JOB_TAKEN: usage("There is a job %s already: choose another name, or remove it first."),
  JOB_CONFIGURED: usage("The job %s stands in the configuration: change [jobs.%s] there."),
  JOB_TOO_MANY: policy("There are %s jobs already, and no more are kept: remove one."),
  JOB_RIGHTS: policy("No job is made, since it would not run: %s"),
  JOB_IN_JOB: policy("A job makes no jobs: ask for it in a conversation."),
});
