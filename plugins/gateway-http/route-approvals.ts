import type { Approvals, Route, RouteRequest } from "@gantry/sdk";
import type { Decider } from "@gantry/sdk/fill";
import { Type } from "typebox";
import type { Static } from "typebox";
import { errors } from "./errors.ts";

const decision = Type.Object({
  decision: Type.Union([Type.Literal("allow"), Type.Literal("always"), Type.Literal("deny")]),
});

const request = Type.Object({
  id: Type.String(),
  session: Type.String(),
  user: Type.String(),
  device: Type.Optional(Type.String()),
  person: Type.Optional(Type.String()),
  tool: Type.String(),
  args: Type.Record(Type.String(), Type.Unknown()),
  preview: Type.String(),
  lines: Type.Integer(),
  commands: Type.Integer(),
  diff: Type.Optional(Type.String()),
  reasons: Type.Array(Type.String()),
  warnings: Type.Array(Type.String()),
  always: Type.Optional(Type.String()),
  expires: Type.String(),
});

/**
 * Makes the routes of approvals. A question is about one exact call and takes one decision; the
 * host knows which of them a device may decide.
 */
export function approvalRoutes(approvals: Approvals): readonly Route[] {
  return [
    {
      name: "GET /api/approvals",
      method: "GET",
      path: "/api/approvals",
      auth: "token",
      may: "decide",
      summary: "The questions that wait for a person.",
      replySchema: Type.Object({ approvals: Type.Array(request) }),
      handle: async (asked) => ({
        status: 200,
        body: { approvals: await approvals.pending(deciderOf(asked)) },
      }),
    },
    {
      name: "POST /api/approvals/:id",
      method: "POST",
      path: "/api/approvals/:id",
      auth: "token",
      may: "decide",
      summary: "Answers one question, once.",
      bodySchema: decision,
      replySchema: Type.Object({ id: Type.String(), decision: Type.String() }),
      async handle(asked) {
        const { id = "" } = asked.params;
        const said = (asked.body as Static<typeof decision>).decision;
        const by = deciderOf(asked);
        const outcome = await approvals.decide(id, said, by);
        // A question that is not theirs to decide looks like one that does not exist.
        if (outcome === "unknown" || outcome === "forbidden") throw errors.GATEWAY_APPROVAL_UNKNOWN();
        if (outcome === "decided") {
          const end = await approvals.ended?.(id, by);
          if (end?.reason !== undefined) throw errors.GATEWAY_APPROVAL_OVER(end.reason);
          throw errors.GATEWAY_APPROVAL_DECIDED(end?.by === undefined ? "" : ` by ${end.by}`);
        }
        return { status: 200, body: { id, decision: said } };
      },
    },
  ];
}

function deciderOf({ device = "local", caller }: RouteRequest): Decider {
  return { user: `http:${device}`, ...(caller && { caller }) };
}
