// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import { parentPort, workerData } from "node:worker_threads";
import { asError } from "@gantry/sdk/node";
import type { KeeperFacts } from "./view/keeper-facts.ts";
import { Keeper } from "./view/keeper.ts";
import type { FromKeeper, ToKeeper } from "./view/views.ts";

/**
 * Keeps the layers of a workspace's runs, one request after another, so that no two are taken over
 * at once.
 */
const port = parentPort!;
const keeper = new Keeper(workerData as KeeperFacts);
let last: Promise<unknown> = Promise.resolve();
let sweeping: NodeJS.Timeout | undefined;

port.on("message", (message: ToKeeper) => {
  last = last.then(() => work(message));
});

async function work(message: ToKeeper): Promise<void> {
  port.postMessage(await answer(message));
  try {
    keeper.tidy();
    if (message.do === "recover" || message.do === "hold") sweep();
  } catch {
    // Anything that could not be removed is removed at the next start.
  }
}

/** Sees to it that nothing waits longer than anybody may decide. */
function sweep(): void {
  clearTimeout(sweeping);
  const due = keeper.sweep();
  if (due !== undefined) sweeping = setTimeout(sweep, due + 1).unref();
}

async function answer({ do: name, with: given }: ToKeeper): Promise<FromKeeper> {
  try {
    const work = keeper[name] as (...given: unknown[]) => unknown;
    return { value: await work.apply(keeper, given) };
  } catch (error) {
    return { failed: asError(error).message };
  }
}
