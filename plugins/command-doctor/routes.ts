import type { Route } from "@gantry/sdk";
import { Type } from "typebox";
import type { DoctorNeeds } from "./asked-rows.ts";

const report = () =>
  Type.Object({
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
    rows: "statusRows" | "doctorRows",
  ): Route => ({
    name: `GET ${path}`,
    method: "GET",
    path,
    auth: "token",
    may: "read",
    summary,
    perMinute,
    get replySchema() {
      return report();
    },
    async handle({ signal }) {
      const asked = await (await import("./asked-rows.ts"))[rows](needs, signal);
      const { cleanReport } = await import("./report.ts");
      return { status: 200, body: await cleanReport(asked, needs.redactors.values()) };
    },
  });
  return [
    routeOf("/api/status", "What is configured and what is in force on this machine.", 60, "statusRows"),
    routeOf("/api/doctor", "What is wrong and the cure; asks the provider too.", 6, "doctorRows"),
  ];
}
