import type { Route } from "@gantry/sdk";
import { Type } from "typebox";
import type { Static } from "typebox";
import { limitOf, pageSchema, queryOf } from "../shared/route-page.ts";
import type { DealNeeds } from "./deal.ts";

const pause = () => Type.Object({ action: Type.Union([Type.Literal("pause"), Type.Literal("resume")]) });
const page = () =>
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
        return page();
      },
      async handle(request) {
        const { shelf } = await needs();
        const { dueOf, scheduleOf } = await import("./line.ts");
        const [limit, after] = [limitOf(request), queryOf(request, "after") ?? ""];
        const marks = await shelf.marks();
        const behind = (await shelf.all()).filter(({ name }) => name > after);
        const shown = behind.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit);
        const rows = shown.map(async (job) => ({
          name: job.name,
          schedule: scheduleOf(job),
          next: await dueOf(job, marks.get(job.name)),
          prompt: job.prompt,
          by: job.by,
          paused: marks.get(job.name)?.isPaused === true,
        }));
        const next = behind.length > limit ? shown.at(-1)?.name : undefined;
        return { status: 200, body: { rows: await Promise.all(rows), ...(next && { next }) } };
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
        const [limit, after] = [limitOf(request), queryOf(request, "after") ?? "~"];
        const runs = (await shelf.runs(request.params["name"] ?? "")).toReversed();
        const behind = runs.filter(({ due }) => due < after);
        const rows = behind.slice(0, limit);
        const next = behind.length > limit ? rows.at(-1)?.due : undefined;
        return { status: 200, body: { rows, ...(next && { next }) } };
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
