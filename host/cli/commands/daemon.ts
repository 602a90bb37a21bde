import { againCode, restartAsked } from "../restart.ts";
import type { HostCommandContext } from "./host-command.ts";

export async function run(run: HostCommandContext): Promise<number> {
  if (run.options["watch"])
    return (await import("../watch.ts")).watch(run.session, ["daemon"], run.signal, run.err);
  const again = restartAsked();
  again.addEventListener("abort", () => process.kill(process.pid, "SIGTERM"), { once: true });
  const code = await run.serve();
  return again.aborted ? againCode : code;
}
