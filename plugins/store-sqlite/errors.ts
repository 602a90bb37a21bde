import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  STORE_DAMAGED: failed(
    "The store %s is damaged (%s): move it away or put back a copy; it is never replaced by itself.",
  ),
  BACKUP_EXISTS: usage("%s is already there and is never overwritten: choose another name."),
  BACKUP_UNWRITABLE: failed("The backup %s cannot be written (%s): check the directory and the free space."),
  BACKUP_UNREADABLE: failed(
    "%s cannot be put back (%s): use another copy, if there is one; nothing was changed.",
  ),
  BACKUP_LOCKED: failed(
    "%s is encrypted, and %s: set BACKUP_PASSPHRASE to the passphrase that it was written with; " +
      "nothing was changed.",
  ),
  BACKUP_PLAIN: policy(
    "%s is not encrypted, but BACKUP_PASSPHRASE is set, so anybody may have put it in place of one " +
      "that is: use another copy, or trust it with `BACKUP_PASSPHRASE= gantry restore …`.",
  ),
  BACKUP_FOREIGN: failed(
    "%s holds %s, which no store of layout %s has: use another copy; nothing was changed.",
  ),
  RESTORE_WHAT: usage(
    "Name what to put back: a backup, `gantry restore FILE`, or a store kept before an upgrade, " +
      "`gantry restore --layout N` (%s).",
  ),
  LAYOUT_NOT_KEPT: usage("No store of layout %s was kept: name a layout that was (%s)."),
  RESTORE_NO_FOLDER: policy(
    "%s, on the way to %s, is not a folder but a link or a file: put a folder in its place; " +
      "nothing was changed.",
  ),
  RESTORE_UNWRITABLE: failed(
    "Nothing can be put back in %s (%s): free the disk, or make it writable for this user, and " +
      "restore again; nothing was changed.",
  ),
  RESTORE_UNFINISHED: failed(
    "A restore of the store %s has not ended: wait for it, or run it again if it was stopped, " +
      "`%s`; what was there is in the folder %s.",
  ),
  RESTORE_NOT_ACCEPTED: policy("Nothing was changed: pass --yes to put back what is listed."),
  STORE_REMOVED: failed(
    "The store %s was removed or replaced while it was in use, so nothing more is taken: put it back " +
      "beside its -wal and -shm, which belong to it and stay where they are, and start the service again.",
  ),
  STORE_WITHOUT_FILE: failed(
    "The store %s is missing or empty, but its -wal or -shm is still there and may hold what was " +
      "kept last: put the file back beside them, or move them away too; nothing was changed.",
  ),
});
