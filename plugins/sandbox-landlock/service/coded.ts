import { errors } from "@gantry/sdk";
import { errors as own } from "../errors.ts";
import type { Fault } from "../messages.ts";

/** The error of what a confined process did not do. */
export function coded(fault: Fault): Error {
  switch (fault.fault) {
    case "outside":
      return errors.PATH_OUTSIDE(fault.path);
    case "missing":
      return errors.FILE_MISSING(fault.path);
    case "changed":
      return errors.FILE_CHANGED(fault.path);
    case "secret":
      return own.SANDBOX_SECRET(fault.path);
    case "withheld":
      return own.SANDBOX_WITHHELD(fault.path);
    case "undecided":
      return own.SANDBOX_UNDECIDED(fault.path, fault.reason);
    case "guarded":
      return own.SANDBOX_GUARDED(fault.path);
    case "failed":
      return errors.FILE_FAILED(fault.path, fault.verb, fault.reason);
    case "not started":
      return errors.RUN_FAILED(fault.path, fault.reason);
    case "pattern":
      return errors.SEARCH_BAD_PATTERN(fault.pattern, fault.reason);
    case "full":
      return own.SANDBOX_FULL(fault.path);
    case "unseen":
      return own.SANDBOX_UNSEEN(fault.path, fault.reason);
    case "stale":
      return own.SANDBOX_FAILED("secret files turn up in the workspace faster than they can be hidden");
  }
}
