import type { Route, Runtime } from "@gantry/sdk";
import { Type } from "typebox";
import type { Devices } from "./devices.ts";

export function healthRoute(runtime: Runtime, devices: Devices, requirePairing: boolean): Route {
  return {
    name: "GET /health",
    method: "GET",
    path: "/health",
    auth: "none",
    summary: "Whether the service is up, and whether a device is paired.",
    perMinute: 600,
    replySchema: Type.Object({
      status: Type.Literal("ok"),
      paired: Type.Boolean(),
      require_pairing: Type.Boolean(),
      version: Type.String(),
      uptime_seconds: Type.Integer(),
    }),
    async handle() {
      const body = {
        status: "ok",
        paired: await devices.hasAny(),
        require_pairing: requirePairing,
        version: runtime.version,
        uptime_seconds: Math.floor(process.uptime()),
      };
      return { status: 200, body };
    },
  };
}
