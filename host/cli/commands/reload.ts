import { reloadService } from "../config/reload.ts";
import type { HostCommandContext } from "./host-command.ts";

/** Has the running service read the file again, if the file is right, and says what came of it. */
export async function run({ session, out, err, signal }: HostCommandContext): Promise<number> {
  await session.open();
  const { applied, needRestart } = await reloadService(session.configDir, signal);
  out(`Applied: ${applied.join(", ") || "nothing changed"}`);
  if (needRestart.length > 0) err(`A restart is needed for: ${needRestart.join(", ")}`);
  return 0;
}
