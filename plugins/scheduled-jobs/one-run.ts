import { AsyncLocalStorage } from "node:async_hooks";
import {
  directMessage,
  textOf,
  textParts,
  type Agents,
  type Inbox,
  type InboundMessage,
  type Outbox,
  type Part,
  type People,
  type ToolCallReport,
  type Trust,
  type TurnResult,
} from "@gantry/sdk";
import { rightsNow, type Doors } from "../shared/rights-now.ts";
import type { Job, JobRun } from "./job.ts";

const maxAnswer = 500;

const runs = new AsyncLocalStorage<true>();

/** True in what a job's turn does. */
export function isInJob(): boolean {
  return runs.getStore() === true;
}

export interface RunNeeds {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly agents: Agents | undefined;
  readonly doors: Doors;
  readonly people: People;
}

/** The outcome of a run. */
export type RunEnd = Pick<JobRun, "state" | "reason" | "tokens" | "answer"> & { readonly reply: string };

/**
 * Runs a job's prompt with the rights that whoever made it has now, and says the answer where the
 * job says. Never throws: a job whose maker has fewer rights than then has failed.
 */
export async function runJob(
  { inbox, outbox, agents, doors, people }: RunNeeds,
  job: Job,
  due: string,
  approvals: "none" | "yes",
  signal: AbortSignal,
): Promise<RunEnd> {
  // Under a name that nobody bounds it would be bound by nothing.
  if (job.agent !== undefined && !agents?.list().some(({ name }) => name === job.agent))
    return { state: "failed", reason: `There is no agent ${job.agent}.`, reply: "" };
  try {
    const rights = await rightsNow(doors, job.by, job.trust, people);
    if ("lost" in rights) return { state: "failed", reason: rights.lost, reply: "" };
    const options = {
      keep: false,
      approvals,
      signal,
      ...(job.model !== undefined && { model: job.model }),
      ...(job.agent !== undefined && { agent: job.agent }),
      ...(job.budget !== undefined && { budget: { tokens: job.budget } }),
    };
    const result = await runs.run(true, () => inbox.prompt(messageOf(job, due, rights.trust), options));
    const end = endOf(result);
    if (job.place && result.reply !== "" && !result.error)
      await outbox.send({ ...job.place, parts: textParts(result.reply), key: `job ${job.name} ${due}` });
    return end;
  } catch (error) {
    return { state: "failed", reason: (error as Error).message, reply: "" };
  }
}

/** A run is done if its turn ended well and none of its calls failed. */
function endOf({ reply, error, stop_reason, usage, tool_calls }: TurnResult): RunEnd {
  const tokens = usage.input_tokens + usage.output_tokens;
  const facts = { tokens, answer: reply.slice(0, maxAnswer).toWellFormed(), reply };
  const failed = tool_calls.find(({ decision }) => decision === "refused" || decision === "failed");
  const reason =
    error?.message ??
    (stop_reason === "EndTurn" ? undefined : `The turn ended early: ${stop_reason}.`) ??
    (failed && failureOf(failed));
  return reason === undefined ? { state: "done", ...facts } : { state: "failed", reason, ...facts };
}

function failureOf({ tool, decision, code }: ToolCallReport): string {
  const what = `The call of ${tool} was ${decision}${code ? ` (${code})` : ""}`;
  return code === "APPROVAL_NO_PERSON"
    ? `${what}: nobody is asked while a job runs, so allow it by a rule or do it in a conversation.`
    : `${what}.`;
}

/** Splits `<channel>:<id>`. */
function split(user: string): readonly [string, string] {
  const at = user.indexOf(":");
  return [user.slice(0, at), user.slice(at + 1)];
}

function messageOf(job: Job, due: string, trust: Trust): InboundMessage {
  const [channel, from] = split(job.by);
  const material = job.sources?.material ?? [];
  const text = `[The job ${job.name}, due at ${due}.]\n${job.prompt}`;
  const parts: readonly Part[] =
    material.length === 0 ? textParts(text) : [{ type: "text", text, from: material.join(", ") }];
  const { place } = job;
  return directMessage({
    channel,
    id: `job ${job.name} ${due}`,
    from,
    text: textOf(parts),
    parts,
    trust,
    ...(place && { channel: place.channel, conversation: place.conversation, replyTo: place.to }),
  });
}
