import type { RunResult } from "@gantry/sdk";
import { MARK_SIGNS } from "../bounds.ts";
import type { RunRequest } from "./process.ts";
import { type Confined, Refused, type Telling, runWatched } from "./run.ts";

/** A run in the workspace itself: what it did to secret and guarded files is told and undone afterwards. */
export async function runDirect(
  confined: Confined,
  request: RunRequest,
  abort: AbortController,
  { started, before }: Telling,
): Promise<RunResult> {
  const { workspace, ending } = confined;
  const refused = workspace.begin(request.others);
  if (refused) throw new Refused(refused);
  const told = workspace.before();
  if (told) await before(told);
  const { findings, ...result } = await runWatched(confined, request, abort, {
    within: (start) => ending.within(start),
    started,
    watch: (stop) => workspace.watch((file) => stop(`${file} was changed from outside`)),
  });
  const finished = workspace.finish();
  const stderr = workspace.hide(result.stderr).slice(0, request.maxOutputBytes + MARK_SIGNS);
  const room = request.maxOutputBytes + 2 * MARK_SIGNS - stderr.length;
  const stdout = workspace.hide(result.stdout).slice(0, room);
  return { ...result, stdout, stderr, ...finished, findings: [...findings, ...finished.findings] };
}
