/** What plugins and the host share and what touches Node: paths, links, locks, timeouts. */
export { deepFreeze } from "./deep-freeze.ts";
export { asError } from "./errors.ts";
export { expandHome, followLinks, isInside } from "./links.ts";
export { fileNames } from "../file-names.ts";
export { makeDir } from "./make-dir.ts";
export { Pairing, type PairingCode, type PairingConfig } from "./pairing.ts";
export { openFilesLimit } from "./open-files.ts";
export {
  changedFiles,
  fileHash,
  folderHashes,
  manifestDifference,
  pluginLockFile,
  readPluginLock,
  type LockedPackage,
  type PluginLock,
  type StatedManifest,
} from "./plugin-lock.ts";
export { ProcessLock } from "./process-lock.ts";
export {
  configHash,
  readRunning,
  removeRunning,
  servingLock,
  writeRunning,
  type RunningRecord,
} from "./running-record.ts";
export { shortHash } from "./short-hash.ts";
export { withTimeout } from "./with-timeout.ts";
