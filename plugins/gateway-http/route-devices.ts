import { scopes } from "@gantry/sdk/fill";
import type { Audit, Route, RouteRequest, Scope } from "@gantry/sdk";
import type { Pairing } from "@gantry/sdk/node";
import { Type } from "typebox";
import type { Static } from "typebox";
import { bearerOf } from "./authenticator.ts";
import { pageOf, pageSchema } from "../shared/route-page.ts";
import { deviceName, type Device, type Devices } from "./devices.ts";
import { errors } from "./errors.ts";
import { maxDays } from "./pair-options.ts";

const scope = Type.Union([
  Type.Literal("talk"),
  Type.Literal("read"),
  Type.Literal("decide"),
  Type.Literal("manage"),
]);

const device = {
  device_id: Type.String(),
  name: Type.String(),
  paired: Type.String(),
  may: Type.Array(scope),
  expires: Type.Optional(Type.String()),
  used: Type.Optional(Type.String()),
};

const wanted = Type.Object({
  may: Type.Optional(Type.Array(scope, { minItems: 1 })),
  name: Type.Optional(Type.String({ pattern: deviceName })),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxDays })),
});

/** Devices in the order in which they were paired. */
const keyOf = ({ paired, device_id }: Device): string => `${paired} ${device_id}`;

const access = { auth: "token", may: "manage" } as const;

/** Makes the routes of paired devices. Nobody gives a device more than they have themselves. */
export function deviceRoutes(devices: Devices, pairing: Pairing, audit: Audit): readonly Route[] {
  const record = (request: RouteRequest, result: string, args: Readonly<Record<string, unknown>>) =>
    audit.record({
      event_type: "pairing",
      tool: "",
      args,
      result,
      user: `http:${request.device ?? "local"}`,
      session_id: "",
    });
  return [
    {
      ...access,
      name: "GET /api/devices",
      method: "GET",
      path: "/api/devices",
      summary: "The paired devices: what their tokens may, their last use, their end; `limit`, `after`.",
      replySchema: pageSchema(device),
      async handle(request) {
        return { status: 200, body: pageOf(request, await devices.list(), keyOf) };
      },
    },
    {
      ...access,
      name: "DELETE /api/devices/:id",
      method: "DELETE",
      path: "/api/devices/:id",
      summary: "Ends the token of a device at once.",
      async handle(request) {
        const { id = "" } = request.params;
        if (!(await devices.revoke(id))) throw errors.GATEWAY_DEVICE_UNKNOWN(id);
        await record(request, "revoked", { device_id: id });
        return { status: 200, body: { revoked: id } };
      },
    },
    {
      ...access,
      name: "POST /api/devices/codes",
      method: "POST",
      path: "/api/devices/codes",
      summary: "Makes a one-time pairing code, for some of the scopes that the caller has.",
      bodySchema: wanted,
      replySchema: Type.Object({
        code: Type.String(),
        expires: Type.String(),
        may: Type.Array(scope),
      }),
      async handle(request) {
        const { may: asked, ...rest } = request.body as Static<typeof wanted>;
        const own = request.caller?.may ?? scopes;
        const may = scopes.filter((one) => (asked ?? own).includes(one));
        const beyond = may.find((one: Scope) => !own.includes(one));
        if (beyond !== undefined) throw errors.GATEWAY_SCOPE_BEYOND(beyond);
        await record(request, "code made", { may, ...rest });
        const { code, expires } = await pairing.create({ may, ...rest });
        return { status: 200, body: { code, expires: new Date(expires).toISOString(), may } };
      },
    },
  ];
}

/** Ends the token that asks, whatever it may. */
export function signOutRoute(devices: Devices, audit: Audit): Route {
  return {
    name: "POST /api/sign-out",
    method: "POST",
    path: "/api/sign-out",
    auth: "own",
    summary: "Ends the token in the header Authorization, whatever it may.",
    async handle({ headers }) {
      const known = await devices.find(bearerOf(headers["authorization"]) ?? "");
      const device = known?.caller.device;
      if (device === undefined) throw errors.GATEWAY_UNAUTHORIZED();
      await devices.revoke(device);
      const about = { user: `http:${device}`, session_id: "" };
      const args = { device_id: device };
      await audit.record({ event_type: "pairing", tool: "", args, result: "signed out", ...about });
      return { status: 200, body: { revoked: device } };
    },
  };
}
