/** What plugins and the host share and what touches Node: paths, links, locks, timeouts. */
export { deepFreeze } from "./deep-freeze.ts";
export { asError } from "./errors.ts";
export { expandHome, followLinks, isInside } from "./links.ts";
export { fileNames } from "../file-names.ts";
export { makeDir } from "./make-dir.ts";
export { ProcessLock } from "./process-lock.ts";
export { withTimeout } from "./with-timeout.ts";
