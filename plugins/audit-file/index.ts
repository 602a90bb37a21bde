import { resolve } from "node:path";
import {
  Audit,
  AuditSinks,
  Checks,
  Commands,
  definePlugin,
  optional,
  Routes,
  Runtime,
  Store,
} from "@gantry/sdk";
import { expandHome } from "@gantry/sdk/node";
import { Type } from "typebox";
import { Anchors } from "./anchors.ts";
import { AuditLog } from "./audit-log.ts";
import { acknowledgeCommand } from "./acknowledge.ts";
import { auditChecks } from "./checks.ts";
import { verifyCommand } from "./command.ts";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "audit-file",
  summary: "The audit log: one JSON record a line, chained by hashes.",
  table: "",
  config: Type.Object({
    security: Type.Object({
      audit: Type.Object({
        enabled: Type.Boolean({
          default: true,
          description: "Keep an audit log. A tool call that cannot be recorded does not run.",
        }),
        log_tool_calls: Type.Boolean({
          default: true,
          description: "Record every tool call, allowed or not, and how it ended.",
        }),
        log_security_events: Type.Boolean({
          default: true,
          description:
            "Record refusals, approvals, pairing, failed logins, configuration changes, anomalies and ignored senders.",
        }),
        log_path: Type.String({
          default: "audit.jsonl",
          pattern: String.raw`[^/]\.(?:jsonl|json|log|txt)$`,
          examples: ["audit.jsonl"],
          description:
            "The log file, in .jsonl, .json, .log or .txt, which no program obeys; a relative path starts at the configuration directory.",
        }),
        log_retention_days: Type.Integer({
          default: 30,
          minimum: 1,
          maximum: 36_500,
          description: "Days after which the log's older files are deleted.",
        }),
      }),
    }),
  }),
  needs: { runtime: Runtime, audit: Audit, store: optional(Store) },
  provides: [AuditSinks, Commands, Checks, Routes],
  enforces: [
    "security.audit.enabled",
    "security.audit.log_tool_calls",
    "security.audit.log_security_events",
    "security.audit.log_path",
    "security.audit.log_retention_days",
  ],
  errors,
  setup(host) {
    const { enabled, log_tool_calls, log_security_events, log_path, log_retention_days } =
      host.config.security.audit;
    const path = resolve(host.needs.runtime.configDir, expandHome(log_path));
    const log = new AuditLog({ path, retentionDays: log_retention_days, warn: host.log.warn });
    const anchors = new Anchors(host.needs.store, path, log_path);
    host.provide(AuditSinks, {
      name: host.name,
      async write(event) {
        const isCall = event.event_type === "tool_call" || event.event_type === "tool_result";
        // A record that closes a gap in the log belongs to the log, whatever is kept in it.
        const wanted = event.event_type === "audit_gap" || (isCall ? log_tool_calls : log_security_events);
        if (!enabled || !wanted) return;
        await log.write(event);
        anchors.wrote();
      },
    });
    host.provide(Commands, verifyCommand(path, anchors));
    if (enabled) host.provide(Commands, acknowledgeCommand(path, host.needs.audit, anchors));
    for (const check of auditChecks(path, enabled, anchors)) host.provide(Checks, check);
    host.onServe(async () => {
      if (enabled) anchors.serve();
      const { auditRoutes } = await import("./routes.ts");
      for (const route of auditRoutes(path, anchors)) host.provide(Routes, route);
    });
    host.onDispose(async () => {
      await log.close();
      await anchors.close();
    });
  },
});
