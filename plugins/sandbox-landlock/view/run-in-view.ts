import type { RunResult } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { NotStarted, type RunRequest } from "../confined/process.ts";
import { type Confined, runWatched } from "../confined/run.ts";
import { VIEWS } from "./view-facts.ts";

/**
 * Runs a command in a view of the workspace; the service looks at what it left there. Throws
 * NotStarted if none can be mounted.
 */
export async function runInView(
  confined: Confined,
  request: RunRequest,
  abort: AbortController,
  started: () => void,
): Promise<RunResult> {
  const { mounter, ending, size } = confined;
  const { view } = request;
  if (!view || !mounter) throw new NotStarted("no view was asked for as this process began");
  const layer = `${VIEWS}/${view.id}/up`;
  await mounter.mount(view).catch((error: unknown) => {
    throw new NotStarted(asError(error).message);
  });
  size.withLayer(layer);
  try {
    const within = <T>(start: () => T): T => ending.within(() => mounter.within(start));
    return await runWatched(confined, request, abort, { within, started, written: [layer] });
  } finally {
    mounter.leave();
    size.withLayer(undefined);
  }
}
