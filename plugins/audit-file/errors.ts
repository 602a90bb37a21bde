import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  AUDIT_FILE_FAILED: failed(
    "The audit log %s cannot be written (%s): check the free space, and the owner of the file and of its directory.",
  ),
  AUDIT_FILE_FOREIGN: failed(
    "security.audit.log_path names %s, which is there and is not an audit log, so nothing is written into it: name a file that is not there yet.",
  ),
  AUDIT_FILE_BUSY: failed(
    "The audit log %s has been held by another process (%s) for %s s: end that process, or wait for it.",
  ),
  AUDIT_NO_GAP: failed(
    "What is wrong with the audit log cannot be acknowledged (%s, line %s: %s), as only missing records can: keep the file as it is and find out who could write there.",
  ),
  AUDIT_CHAIN_BROKEN: failed(
    "The audit log does not hold: %s, line %s: %s; keep the file as it is and find out who could write there.",
  ),
});
