import { defineErrors, definePlugin, failed, Inbox, messageFrom, Routes } from "@gantry/sdk";
import { Type, type Static } from "typebox";

export const errors = defineErrors({
  ROUTE_TOOL_OLD_HOST: failed("This Gantry runs tools in turns alone: upgrade it."),
});

const Body = Type.Object({
  args: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { default: {} })),
});

export default definePlugin({
  name: "route-tool",
  summary: "POST /tools/NAME: runs one tool for a paired device, without a model.",
  needs: { inbox: Inbox },
  provides: [Routes],
  errors,
  setup(host) {
    host.provide(Routes, {
      name: "POST /tools/:name",
      method: "POST",
      path: "/tools/:name",
      auth: "token",
      may: "talk",
      summary:
        "One call of a tool, behind the same guards as in a turn. Nobody is asked: what needs a person is refused.",
      bodySchema: Body,
      async handle(request) {
        const { params, body, signal } = request;
        const { args = {} } = body as Static<typeof Body>;
        const message = messageFrom(request, "");
        const call = { tool: params["name"] ?? "", args, approvals: "none", signal } as const;
        const outcome = await host.needs.inbox.call?.(message, call);
        if (!outcome) throw errors.ROUTE_TOOL_OLD_HOST();
        const { decision, code, text } = outcome;
        const status = { allowed: 200, approved: 200, refused: 403, failed: 422 }[decision];
        return { status, body: { decision, ...(code !== undefined && { code }), text } };
      },
    });
  },
});
