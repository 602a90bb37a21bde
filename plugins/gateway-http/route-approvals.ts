import type { Approvals, Route } from "@gantry/sdk";
import { Type } from "typebox";
import type { Static } from "typebox";
import { errors } from "./errors.ts";

const decision = Type.Object({ decision: Type.Union([Type.Literal("allow"), Type.Literal("deny")]) });

const request = Type.Object({
  id: Type.String(),
  session: Type.String(),
  user: Type.String(),
  tool: Type.String(),
  args: Type.Record(Type.String(), Type.Unknown()),
  preview: Type.String(),
  reasons: Type.Array(Type.String()),
  expires: Type.String(),
});

/** Every paired device is the owner's, so each of them may answer; a question knows one exact call and takes one answer. */
export function approvalRoutes(approvals: Approvals): readonly Route[] {
  return [
    {
      name: "GET /api/approvals",
      method: "GET",
      path: "/api/approvals",
      auth: "token",
      summary: "The questions that wait for a person.",
      replySchema: Type.Object({ approvals: Type.Array(request) }),
      handle: async () => ({ status: 200, body: { approvals: approvals.pending() } }),
    },
    {
      name: "POST /api/approvals/:id",
      method: "POST",
      path: "/api/approvals/:id",
      auth: "token",
      summary: "Answers one question, once.",
      bodySchema: decision,
      replySchema: Type.Object({ id: Type.String(), decision: Type.String() }),
      async handle({ params: { id = "" }, body, device }) {
        const said = (body as Static<typeof decision>).decision;
        const outcome = approvals.decide(id, said, `http:${device ?? "local"}`);
        if (outcome === "unknown") throw errors.GATEWAY_APPROVAL_UNKNOWN();
        if (outcome === "decided") throw errors.GATEWAY_APPROVAL_DECIDED();
        return { status: 200, body: { id, decision: said } };
      },
    },
  ];
}
