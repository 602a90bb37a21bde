import { Audit, Checks, definePlugin, Observers, Store } from "@gantry/sdk";
import { Type } from "typebox";
import { Alerts } from "./alerts.ts";
import { anomalyCheck } from "./check.ts";
import { Detector } from "./detector.ts";

export default definePlugin({
  name: "guard-anomaly",
  summary: "Alerts on blocked commands, many failed commands, and many attempts at sensitive files.",
  table: "",
  config: Type.Object({
    security: Type.Object({
      anomaly_detection: Type.Object({
        enabled: Type.Boolean({
          default: true,
          description:
            "Watch for unusual behaviour; alerts are audit records `anomaly` and warnings in the log.",
        }),
        alert_on_blocked_command: Type.Boolean({
          default: true,
          description: "A blocked command raises an alert, once an hour for the same command of one user.",
        }),
        max_failed_commands_per_hour: Type.Integer({
          default: 10,
          minimum: 0,
          description: "More failed commands of one user in an hour raise an alert.",
        }),
        max_sensitive_file_access_per_hour: Type.Integer({
          default: 20,
          minimum: 0,
          description:
            "More refused attempts of one user at closed or sensitive files in an hour raise an alert.",
        }),
      }),
    }),
  }),
  needs: { store: Store, audit: Audit },
  provides: [Observers, Checks],
  enforces: [
    "security.anomaly_detection.enabled",
    "security.anomaly_detection.alert_on_blocked_command",
    "security.anomaly_detection.max_failed_commands_per_hour",
    "security.anomaly_detection.max_sensitive_file_access_per_hour",
  ],
  taps: ["onAuditEvent"],
  setup(host) {
    const { store, audit } = host.needs;
    const config = host.config.security.anomaly_detection;
    const alerts = new Alerts(store.values, audit, host.log);
    const detector = new Detector(config, store.limits, alerts);
    host.hooks.onAuditEvent.tap((event) => detector.onAuditEvent(event));
    host.provide(Observers, { name: host.name, toolFinished: (report) => detector.toolFinished(report) });
    host.provide(Checks, anomalyCheck(alerts, config.enabled));
  },
});
