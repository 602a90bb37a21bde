import { errors, ToolQuestions } from "@gantry/sdk";
import { asError, userOfTerminal } from "@gantry/sdk/node";
import { exitOf } from "../exit-of.ts";
import { Terminal } from "../terminal.ts";
import type { HostCommandContext } from "./host-command.ts";

/** Prints the tools that a model can call now, or as JSON with their input schemas. */
export async function list(run: HostCommandContext): Promise<number> {
  const host = await run.host();
  const tools = await host.tools.list();
  if (run.options["json"]) {
    run.out(JSON.stringify(tools, undefined, 2));
    return 0;
  }
  const width = Math.max(...tools.map(({ name }) => name.length));
  for (const { name, description } of tools) run.out(`${name.padEnd(width)}  ${description}`);
  return 0;
}

/**
 * One call as a model would make it: the same guards, the same question, the same record, and the
 * same text comes back.
 */
export async function call(run: HostCommandContext): Promise<number> {
  const [tool = "", json = "{}"] = run.args;
  const args = parse(json);
  const host = await run.host();
  const terminal = new Terminal(
    { approvals: host.approvals, questions: host.get(ToolQuestions), configDir: run.session.configDir },
    run.interactive,
    false,
  );
  const { session } = run.options;
  const approvals = run.options["yes"] ? "yes" : run.interactive ? "ask" : "none";
  try {
    const outcome = await host.calls.run({
      ...terminal.options({ signal: run.signal, approvals }),
      tool,
      args,
      session: session === undefined ? "cli-tools" : `cli-tools:${String(session)}`,
      user: userOfTerminal(),
    });
    const ran = outcome.decision === "allowed" || outcome.decision === "approved";
    const text = await host.forOwner.text(outcome.text);
    if (ran) run.out(text);
    else run.err(`gantry: ${text} [${outcome.code}]`);
    if (ran) return outcome.workFailed ? 1 : 0;
    // A guard may stop a call for a reason outside the policy, as over a name that cannot be looked
    // up.
    return exitOf(host, outcome.code ?? "", outcome.decision === "refused" ? 3 : 1);
  } finally {
    terminal.close();
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw errors.USAGE(`The arguments are not JSON (${asError(error).message})`, "tools call ");
  }
}
