import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  BACKUP_WHEN: usage("The table [backup] needs exactly one of cron and every: it has %s."),
  BACKUP_CRON: usage(
    "The key backup.cron is `%s`, which cannot be read (%s): write five fields, as in `30 3 * * *`.",
  ),
  BACKUP_LACKS: usage("The table [backup] has no %s: add it, as in `%s`."),
  BACKUP_OWN_ENGINE: usage(
    "The table [backup] is set, and this store is copied by the programs of its database alone: use those, and take [backup] out.",
  ),
  BACKUP_FOLDER: failed(
    "The folder of backups %s cannot be used (%s): mount it, make it, or correct backup.folder.",
  ),
});
