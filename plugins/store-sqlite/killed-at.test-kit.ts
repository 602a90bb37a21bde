import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Imported before a program, kills it by SIGKILL in place of its nth step: the nth time that it
 * opens or renames a file of the store. `GANTRY_KILL_AT` is n.
 */
const at = Number(process.env["GANTRY_KILL_AT"]);
let step = 0;

function stepsOf<T extends (file: never, ...rest: never[]) => unknown>(work: T): T {
  return ((file: never, ...rest: never[]) => {
    if (/gantry\.db|before-restore|[\\/]state$/.test(String(file)) && ++step === at)
      process.kill(process.pid, "SIGKILL");
    return work(file, ...rest);
  }) as T;
}

fs.openSync = stepsOf(fs.openSync);
fs.renameSync = stepsOf(fs.renameSync);
syncBuiltinESMExports();
