import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  STORE_DAMAGED: failed(
    "The store %s is damaged (%s): move it away or put back a copy; it is never replaced by itself.",
  ),
  BACKUP_EXISTS: usage("%s is already there and is never overwritten: choose another name."),
  BACKUP_UNWRITABLE: failed("The backup %s cannot be written (%s): check the directory and the free space."),
  BACKUP_UNREADABLE: failed("%s is no whole backup (%s): use another one; nothing was changed."),
  RESTORE_NOT_ACCEPTED: policy("Nothing was changed: pass --yes to put back what is listed."),
  STORE_REMOVED: failed(
    "The store %s was removed or replaced while it was in use, so nothing more is taken: put it back and start the service again.",
  ),
});
