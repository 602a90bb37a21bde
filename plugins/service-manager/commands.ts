import { access } from "node:fs/promises";
import type { Command, CommandContext } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { managerFailed, perform, run } from "./perform.ts";
import type { Action, Manager, Scope, ServiceState, Step } from "./plan.ts";

const summaries: Readonly<Record<Action, string>> = {
  install: "install the daemon as a service of this user",
  uninstall: "stop the service and remove it",
  start: "start the service",
  stop: "stop the service",
  restart: "stop the service and start it again",
};
const system = {
  flags: "--system",
  summary: "the service of the whole machine, under a user of its own; as root",
};
const dryRun = { flags: "--dry-run", summary: "print what would be written and run, and do nothing" };

/** `manager` throws SERVICE_PLATFORM where there is none. */
export function serviceCommands(managerOf: (scope: Scope) => Manager): readonly Command[] {
  const manager = (words: CommandContext): Manager =>
    managerOf(words.options["system"] === true ? "system" : "user");
  const actions = (Object.keys(summaries) as Action[]).map((action): Command => ({
    name: `service ${action}`,
    summary: summaries[action],
    options: [dryRun, system],
    run: (words) => act(action, manager(words), words),
  }));
  const status: Command = {
    name: "service status",
    summary: "whether the service is installed and runs; the exit code is 1 where it does not run",
    options: [{ flags: "--json", summary: "print JSON" }, system],
    run: (words) => tell(manager(words), words),
  };
  return [...actions, status];
}

async function act(action: Action, manager: Manager, { options, out, err }: CommandContext): Promise<number> {
  const steps = manager.plan(action);
  if (options["dryRun"]) {
    for (const step of steps) print(step, out, err);
    return 0;
  }
  if (action !== "install" && !(await exists(manager.file))) {
    const cure = (await otherCure(manager)) ?? "run `gantry service install`";
    throw errors.SERVICE_NOT_INSTALLED(manager.file, cure);
  }
  // A manager that is not there leaves nothing half installed.
  if (action === "install") await ask(manager);
  for (const step of steps) await perform(step);
  for (const line of manager.said[action] ?? []) err(line);
  return 0;
}

/** Returns the cure to name instead if the unit of the other scope is there. */
async function otherCure({ other }: Manager): Promise<string | undefined> {
  return other && (await exists(other.file)) ? `${other.file} is: ${other.cure}` : undefined;
}

/** The unit is the answer; the rest is said beside it. */
function print(step: Step, out: (line: string) => void, err: (line: string) => void): void {
  if (step.do === "run") return err(step.argv.join(" "));
  err(`${step.do} ${step.path}`);
  if (step.do === "write") out(step.text.trimEnd());
}

/** Returns the manager's state of the service, installed or not. Throws SERVICE_* errors. */
async function ask({ query, read }: Manager): Promise<NonNullable<ReturnType<Manager["read"]>>> {
  const { code, stdout, stderr } = await run(query);
  const found = read(code, stdout);
  if (!found) throw managerFailed(query, code, stderr);
  return found;
}

async function tell(manager: Manager, { options, out, err }: CommandContext): Promise<number> {
  const installed = await exists(manager.file);
  const cure = installed ? undefined : await otherCure(manager);
  if (cure !== undefined) err(`${manager.file} is not there, ${cure}.`);
  const found = await ask(manager);
  const state: ServiceState = { installed, ...found };
  const words = `${installed ? "installed" : "not installed"}, ${state.state}${state.pid === undefined ? "" : `, process ${state.pid}`}`;
  out(options["json"] ? JSON.stringify(state) : words);
  return state.running ? 0 : 1;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
