import { Type } from "typebox";
import { sessionDays } from "../shared/session-days.ts";

export const config = Type.Object({
  memory: Type.Object({ session_retention_days: sessionDays }),
  store: Type.Object({
    backend: Type.Optional(
      Type.Literal("postgres", {
        description: "Keeps everything in a PostgreSQL database. Left out: in one file.",
      }),
    ),
    url: Type.Optional(
      Type.String({
        pattern: "^postgres(?:ql)?://",
        description:
          "The database, as in `postgres://gantry:${DB_PASSWORD}@db1,db2:5433/gantry`; of several " +
          "servers the one that takes writes is used. Beyond this machine TLS is checked unless " +
          "`?sslmode=` says otherwise.",
      }),
    ),
    direct_url: Type.Optional(
      Type.String({
        pattern: "^postgres(?:ql)?://",
        description: "The same database past a pooler, to be told at once of what other nodes accept.",
      }),
    ),
    prepare: Type.Boolean({
      default: true,
      description:
        "Statements are prepared once for a connection; false behind a pooler that shares servers between transactions.",
    }),
    migrate: Type.Boolean({
      default: true,
      description: "Brings an older layout of the database up to date; false: only `store migrate` does.",
    }),
  }),
  node: Type.Object({
    name: Type.String({
      default: "",
      pattern: "^[\\w.-]{0,63}$",
      description: "How this node is named in lists and logs. Left empty: as its machine.",
    }),
    shares_workspace: Type.Boolean({
      default: false,
      description:
        "True if the workspace stands on a volume that all nodes share. Otherwise people and model are told that files may stay behind.",
    }),
  }),
});
