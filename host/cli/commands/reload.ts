import { errors } from "../errors.ts";
import { ProcessLock, readRunning, servingLock } from "@gantry/sdk/node";
import type { HostCommandContext } from "./host-command.ts";

const patienceMs = 60_000;
const lookMs = 50;

/** Has the running service read the file again, after a look whether it would start by it; says what came of it. */
export async function run({ session, out, err, signal }: HostCommandContext): Promise<number> {
  const { configDir } = session;
  await session.open();
  const pid = await ProcessLock.holder(servingLock(configDir));
  const before = await readRunning(configDir);
  if (pid === undefined || !before) throw errors.NOT_RUNNING(configDir);
  process.kill(pid, "SIGHUP");
  for (const until = Date.now() + patienceMs; Date.now() < until && !signal.aborted;) {
    const now = await readRunning(configDir);
    if (now && now.reloads > before.reloads) {
      if (now.problem !== undefined) throw errors.RELOAD_FAILED(now.problem);
      out(`Applied: ${now.changed.join(", ") || "nothing changed"}`);
      if (now.restart.length > 0) err(`A restart is needed for: ${now.restart.join(", ")}`);
      return 0;
    }
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  throw errors.RELOAD_FAILED(`the process ${pid} gave no answer in ${patienceMs / 1_000} s`);
}
