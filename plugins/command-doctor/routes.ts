import type { Route } from "@gantry/sdk";
import { Type, type Static } from "typebox";
import type { FixNeeds } from "./fix.ts";

const report = () =>
  Type.Object({
    ok: Type.Boolean(),
    rows: Type.Array(
      Type.Object({
        what: Type.String(),
        state: Type.Union([Type.Literal("ok"), Type.Literal("warn"), Type.Literal("fail")]),
        detail: Type.String(),
        cure: Type.Optional(Type.String()),
        fix: Type.Optional(Type.String()),
      }),
    ),
  });

const wanted = () =>
  Type.Object({ what: Type.String({ maxLength: 1_000 }), fix: Type.String({ maxLength: 1_000 }) });

/** `status` and `doctor` over HTTP, and the safe ones of their cures. */
export function doctorRoutes(needs: FixNeeds): readonly Route[] {
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
    {
      name: "POST /api/doctor/fix",
      method: "POST",
      path: "/api/doctor/fix",
      auth: "token",
      may: "manage",
      summary: "Does the cure that a row of status or doctor offers as its `fix`; `what` names the row.",
      perMinute: 30,
      get bodySchema() {
        return wanted();
      },
      async handle({ body, signal }) {
        const asked = body as Static<ReturnType<typeof wanted>>;
        await (await import("./fix.ts")).fix(needs, asked, signal);
        return { status: 200, body: { ok: true } };
      },
    },
  ];
}
