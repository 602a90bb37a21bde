// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import { parentPort, workerData } from "node:worker_threads";
import { asError } from "@gantry/sdk/node";
import type { FromKeeper, KeeperFacts, ToKeeper } from "./view/keeper-facts.ts";
import { Keeper } from "./view/keeper.ts";

/** Keeps the layers of a workspace's runs, one request after another, so that no two are taken over at once. */
const port = parentPort!;
const keeper = new Keeper(workerData as KeeperFacts);

port.on("message", (message: ToKeeper) => {
  port.postMessage(answer(message));
  try {
    keeper.tidy();
  } catch {
    // What could not be removed is at the next start.
  }
});

function answer(message: ToKeeper): FromKeeper {
  try {
    switch (message.do) {
      case "recover":
        return { findings: keeper.recover() };
      case "begin":
        return keeper.begin(message.argv, message.again);
      case "take":
        return { findings: keeper.take(message.id) };
      case "drop":
        return { findings: keeper.drop(message.id) };
      case "end":
        return { findings: keeper.end() };
    }
  } catch (error) {
    return { failed: asError(error).message };
  }
}
