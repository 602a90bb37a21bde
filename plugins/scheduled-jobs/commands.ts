import type { CommandContext } from "@gantry/sdk";
import { userOfTerminal } from "@gantry/sdk/node";
import type { DealNeeds } from "./deal.ts";
import { nextDueOf } from "./due.ts";
import { errors } from "./errors.ts";
import { toldTo, type Job, type JobRun } from "./job.ts";
import { dueOf, lineOf, scheduleOf } from "./line.ts";
import { runJob } from "./one-run.ts";

export async function listJobs({ shelf }: DealNeeds, { options, out, err }: CommandContext): Promise<number> {
  const [jobs, marks] = [await shelf.all(), await shelf.marks()];
  if (options["json"])
    out(
      JSON.stringify(
        await Promise.all(jobs.map(async (job) => ({ ...job, next: await dueOf(job, marks.get(job.name)) }))),
      ),
    );
  else if (jobs.length === 0) err("There are no jobs.");
  else for (const job of jobs) out(await lineOf(job, marks.get(job.name)));
  return 0;
}

export async function showJob({ shelf }: DealNeeds, { args, options, out }: CommandContext): Promise<number> {
  const job = await shelf.named(args[0] ?? "");
  const next = await dueOf(job, await shelf.mark(job.name));
  if (options["json"]) out(JSON.stringify({ ...job, next }));
  else {
    const { place, agent, model, budget, on_missed, by, prompt } = job;
    out(`${job.name}: ${scheduleOf(job)}, next: ${next}, missed: ${on_missed}`);
    out(
      `rights of ${by}, answered ${place ? `in ${place.channel}:${place.conversation.id}` : "in its history"}`,
    );
    const extra = Object.entries({ agent, model, budget }).filter(([, value]) => value !== undefined);
    if (extra.length > 0) out(extra.map(([key, value]) => `${key}: ${value}`).join(", "));
    out(prompt);
  }
  return 0;
}

export async function addJob(
  { shelf, agents }: DealNeeds,
  { args, options, out }: CommandContext,
): Promise<number> {
  const [name = "", prompt = ""] = args;
  const written = (key: string): string | undefined =>
    typeof options[key] === "string" ? options[key] : undefined;
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) throw errors.JOB_NAME(name);
  const [channel, to] = [written("channel"), written("to")];
  if ((channel === undefined) !== (to === undefined)) throw errors.JOB_PLACE(name);
  const agent = written("agent");
  if (agent !== undefined && !agents?.list().some((one) => one.name === agent))
    throw errors.JOB_AGENT(name, agent);
  const job: Job = {
    name,
    prompt,
    ...schedule(written),
    agent,
    model: written("model"),
    on_missed: options["skipMissed"] === true ? "skip" : "run",
    ...toldTo(channel, to, userOfTerminal()),
    made: Date.now(),
    isConfigured: false,
  };
  const due = (await nextDueOf(job))(Date.now());
  if (due === undefined) throw errors.JOB_NEVER(name, new Date().toISOString());
  await shelf.add(job);
  out(`${name} is due next at ${new Date(due).toISOString()}; gantry daemon or gateway runs it.`);
  return 0;
}

function schedule(written: (key: string) => string | undefined) {
  const keys = { cron: "cron", every: "every", at: "at", time_zone: "timeZone" } as const;
  const given = Object.entries(keys).map(([key, option]) => [key, written(option)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

export async function pauseJob(
  { shelf }: DealNeeds,
  { args: [name = ""], out }: CommandContext,
): Promise<number> {
  await shelf.pause(name, true);
  out(`${name} is paused.`);
  return 0;
}

export async function resumeJob(
  { shelf }: DealNeeds,
  { args: [name = ""], out }: CommandContext,
): Promise<number> {
  await shelf.pause(name, false);
  out(`${name} runs again; what fell due meanwhile is not made up for.`);
  return 0;
}

export async function removeJob(
  { shelf }: DealNeeds,
  { args: [name = ""], out }: CommandContext,
): Promise<number> {
  await shelf.remove(name);
  out(`${name} is removed.`);
  return 0;
}

/** Runs a job now, in this process, beside its due times. */
export async function runNow(needs: DealNeeds, run: CommandContext): Promise<number> {
  const { shelf } = needs;
  const job = await shelf.named(run.args[0] ?? "");
  const begun = new Date().toISOString();
  const facts = { job: job.name, due: begun, begun };
  await shelf.addRun({ ...facts, state: "begun" });
  const approvals = run.options["yes"] === true ? "yes" : "none";
  const { reply, ...end } = await runJob(needs, { ...job, place: undefined }, begun, approvals, run.signal);
  await shelf.endRun({ ...facts, ...end, ended: new Date().toISOString() });
  if (reply !== "") run.out(reply);
  if (end.state === "failed") run.err(`The job ${job.name} failed: ${end.reason ?? ""}`);
  return end.state === "failed" ? 1 : 0;
}

export async function jobHistory(
  { shelf }: DealNeeds,
  { args, options, out, err }: CommandContext,
): Promise<number> {
  const [name = ""] = args;
  const runs = await shelf.runs(name);
  // If a reminder is over, only its runs are left.
  if (runs.length === 0) await shelf.named(name);
  if (options["json"]) out(JSON.stringify(runs));
  else if (runs.length === 0) err(`Nothing of ${name} has fallen due yet.`);
  else for (const run of runs) out(runLine(run));
  return 0;
}

function runLine({ due, state, reason, tokens, answer }: JobRun): string {
  const said = (reason ?? answer ?? "").replaceAll(/\s+/g, " ").trim();
  return `${due}  ${state}${tokens === undefined ? "" : `  ${tokens} tokens`}  ${said}`.trimEnd();
}
