import type { Route } from "@gantry/sdk";
import { Type } from "typebox";
import type { Static } from "typebox";
import { pageOf, pageSchema } from "../shared/route-page.ts";
import type { DealNeeds } from "./deal.ts";

const pause = () => Type.Object({ action: Type.Union([Type.Literal("pause"), Type.Literal("resume")]) });
const jobs = () =>
  pageSchema({
    name: Type.String(),
    schedule: Type.String(),
    next: Type.String(),
    prompt: Type.String(),
    by: Type.String(),
    paused: Type.Boolean(),
  });

/** Jobs over HTTP: what there is, what became of each due time, and a pause. */
export function jobRoutes(needs: () => Promise<Pick<DealNeeds, "shelf">>): readonly Route[] {
  return [
    {
      name: "GET /api/jobs",
      method: "GET",
      path: "/api/jobs",
      auth: "token",
      may: "read",
      summary: "The jobs, and when each is due next; `limit`, `after`.",
      get replySchema() {
        return jobs();
      },
      async handle(request) {
        const { shelf } = await needs();
        const { dueOf, scheduleOf } = await import("./line.ts");
        const marks = await shelf.marks();
        const page = pageOf(request, await shelf.all(), ({ name }) => name);
        const rows = page.rows.map(async (job) => ({
          name: job.name,
          schedule: scheduleOf(job),
          next: await dueOf(job, marks.get(job.name)),
          prompt: job.prompt,
          by: job.by,
          paused: marks.get(job.name)?.isPaused === true,
        }));
        return { status: 200, body: { ...page, rows: await Promise.all(rows) } };
      },
    },
    {
      name: "GET /api/jobs/:name/runs",
      method: "GET",
      path: "/api/jobs/:name/runs",
      auth: "token",
      may: "read",
      summary: "What became of the due times of a job, the last first; `limit`, `after`.",
      async handle(request) {
        const { shelf } = await needs();
        const runs = await shelf.runs(request.params["name"] ?? "");
        return { status: 200, body: pageOf(request, runs, ({ due }) => due, "down") };
      },
    },
    {
      name: "POST /api/jobs/:name",
      method: "POST",
      path: "/api/jobs/:name",
      auth: "token",
      may: "manage",
      summary: "Lets nothing of a job run, or lets it run again.",
      get bodySchema() {
        return pause();
      },
      async handle({ params: { name = "" }, body: asked }) {
        const { action } = asked as Static<ReturnType<typeof pause>>;
        await (await needs()).shelf.pause(name, action === "pause");
        return { status: 200, body: { name, action } };
      },
    },
  ];
}
