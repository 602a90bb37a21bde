import { Worker } from "node:worker_threads";

/** The next message of a worker; throws what ended it. */
export function reply<T>(worker: Worker): Promise<T> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

/** A small young generation keeps memory flat over many commands. From source a worker is TypeScript, which Node strips; built, it stands beside the plugin's bundle. */
export function startWorker(base: string, name: string, workerData: object): Worker {
  const extension = base.endsWith(".ts") ? "ts" : "js";
  return new Worker(new URL(`./${name}.${extension}`, base), {
    workerData,
    env: {},
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
}
