import type { Audit, Route } from "@gantry/sdk";
import { Type } from "typebox";
import type { Static } from "typebox";
import { deviceName, type Devices } from "./devices.ts";
import { peerKey } from "./peer.ts";
import type { Pairing, PairingGrant } from "@gantry/sdk/node";

const body = Type.Object({
  code: Type.String({ maxLength: 64 }),
  device_name: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: deviceName })),
});

const event = (result: string, peer: string, device = "unknown") =>
  ({
    event_type: "pairing",
    tool: "",
    args: { peer },
    result,
    user: `http:${device}`,
    session_id: "",
  }) as const;

export function pairRoute(pairing: Pairing, devices: Devices, audit: Audit): Route {
  return {
    name: "POST /pair",
    method: "POST",
    path: "/pair",
    auth: "none",
    summary: "Exchanges a one-time code for the token of a new device.",
    perMinute: 10,
    bodySchema: body,
    replySchema: Type.Object({
      token: Type.String(),
      device_id: Type.String(),
      may: Type.Array(Type.String()),
      expires: Type.Optional(Type.String()),
    }),
    async handle(request) {
      const { code, device_name = "unnamed" } = request.body as Static<typeof body>;
      let grant: PairingGrant;
      try {
        grant = await pairing.redeem(code, peerKey(request.peer));
      } catch (error) {
        const refused = `refused: ${(error as { code?: string }).code ?? "failed"}`;
        await audit.recordStranger(event(refused, request.peer));
        throw error;
      }
      const { token, device } = await devices.add(device_name, grant);
      try {
        await audit.record(event("paired", request.peer, device.device_id));
      } catch (error) {
        await devices.revoke(device.device_id);
        throw error;
      }
      const { device_id, may, expires } = device;
      const until = expires !== undefined && { expires };
      return { status: 200, body: { token, device_id, may, ...until } };
    },
  };
}
