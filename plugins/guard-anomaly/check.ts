import type { Check } from "@gantry/sdk";
import type { Alerts } from "./alerts.ts";

/** The alerts of the last hour, for `status`. */
export function anomalyCheck(alerts: Alerts, enabled: boolean): Check {
  const what = "anomalies";
  return {
    name: "guard-anomaly",
    kind: "status",
    async run() {
      if (!enabled) {
        return [
          {
            what,
            state: "warn",
            detail: "not watched for",
            cure: "set security.anomaly_detection.enabled to true",
          },
        ];
      }
      const recent = await alerts.recent();
      if (recent.length === 0) return [{ what, state: "ok", detail: "none in the last hour" }];
      const cure = "read the `anomaly` records of the audit log";
      return recent.map(({ kind, user, at }) => ({
        what,
        state: "warn" as const,
        detail: `${kind} by ${user} at ${at}`,
        cure,
      }));
    },
  };
}
