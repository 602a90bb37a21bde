import type { CheckRow, Route } from "@gantry/sdk";
import { Type } from "typebox";
import { doctorRows, statusRows, type DoctorNeeds } from "./asked-rows.ts";
import { cleanReport } from "./report.ts";

const report = Type.Object({
  ok: Type.Boolean(),
  rows: Type.Array(
    Type.Object({
      what: Type.String(),
      state: Type.Union([Type.Literal("ok"), Type.Literal("warn"), Type.Literal("fail")]),
      detail: Type.String(),
      cure: Type.Optional(Type.String()),
    }),
  ),
});

/** `status` and `doctor` over HTTP. */
export function doctorRoutes(needs: DoctorNeeds): readonly Route[] {
  const routeOf = (
    path: string,
    summary: string,
    perMinute: number,
    ask: (needs: DoctorNeeds, signal: AbortSignal) => Promise<readonly CheckRow[]>,
  ): Route => ({
    name: `GET ${path}`,
    method: "GET",
    path,
    auth: "token",
    may: "read",
    summary,
    perMinute,
    replySchema: report,
    handle: async ({ signal }) => ({
      status: 200,
      body: await cleanReport(await ask(needs, signal), needs.redactors.values()),
    }),
  });
  return [
    routeOf("/api/status", "What is configured and what is in force on this machine.", 60, statusRows),
    routeOf("/api/doctor", "What is wrong and the cure; asks the provider too.", 6, doctorRows),
  ];
}
