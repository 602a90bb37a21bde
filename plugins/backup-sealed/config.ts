import { Type, type Static } from "typebox";

// The word `gantry backup` loads this plugin too, so no key may be missed before the start.
export const config = Type.Object({
  folder: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "The folder of the backups, for this installation alone and best on another disk; it must be there. A relative path starts at the configuration directory.",
    }),
  ),
  cron: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "When, in five fields: minute, hour, day of the month, month, day of the week, by the machine's time zone. One of cron and every.",
    }),
  ),
  every: Type.Optional(
    Type.String({
      pattern: String.raw`^[1-9]\d{0,4}[mhd]$`,
      description: "A number of minutes, hours or days, as in `12h`. One of cron and every.",
    }),
  ),
  keep: Type.Integer({
    default: 7,
    minimum: 1,
    maximum: 10_000,
    description: "The number of backups that are kept; older ones are deleted once a new one is whole.",
  }),
  passphrase: Type.Optional(
    Type.String({
      minLength: 12,
      description:
        "What they are encrypted by, as in `${BACKUP_PASSPHRASE}`. Keep it elsewhere too: without it no backup can be read.",
    }),
  ),
});

export type BackupConfig = Static<typeof config>;
