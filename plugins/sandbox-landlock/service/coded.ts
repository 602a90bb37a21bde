import { errors } from "@gantry/sdk";
import { errors as own } from "../errors.ts";
import type { Fault } from "../messages.ts";

/** Errors that need only the path. */
const ofPaths = {
  outside: errors.PATH_OUTSIDE,
  missing: errors.FILE_MISSING,
  changed: errors.FILE_CHANGED,
  secret: own.SANDBOX_SECRET,
  guarded: own.SANDBOX_GUARDED,
  full: own.SANDBOX_FULL,
};

/** Returns the error of a request that a confined process refused. */
export function coded(fault: Fault): Error {
  switch (fault.fault) {
    case "failed":
      return errors.FILE_FAILED(fault.path, fault.verb, fault.reason);
    case "not started":
      return errors.RUN_FAILED(fault.path, fault.reason);
    case "pattern":
      return errors.SEARCH_BAD_PATTERN(fault.pattern, fault.reason);
    case "unseen":
      return own.SANDBOX_UNSEEN(fault.path, fault.reason);
    case "stale":
      return own.SANDBOX_FAILED("secret files turn up in the workspace faster than they can be hidden");
    default:
      return ofPaths[fault.fault](fault.path);
  }
}
