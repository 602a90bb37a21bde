import { defineErrors, definePlugin, Inbox, messageFrom, promptEvents, Routes, usage } from "@gantry/sdk";
import type { PromptEvent, ServerEvent } from "@gantry/sdk";
import { Type, type Static } from "typebox";

export const errors = defineErrors({
  LINES_EMPTY: usage("The question is empty: write something into `ask`."),
});

const Body = Type.Object({ ask: Type.String({ maxLength: 10_000 }) });

/**
 * The dialect: `t` a piece of text, `r` a tool that runs, `e` the end; each frame a letter and a
 * line of text.
 */
async function* frames(events: AsyncIterable<PromptEvent>): AsyncGenerator<ServerEvent> {
  for await (const event of events) {
    // More types may come: what is not known is left out.
    if (event.type === "delta") yield { raw: `data: t ${JSON.stringify(event.text)}\n\n` };
    if (event.type === "tool_call") yield { raw: `data: r ${event.tool}\n\n` };
    if (event.type === "ended") yield { raw: `data: e ${event.result.stop_reason}\n\n` };
  }
}

export default definePlugin({
  name: "route-lines",
  summary: "Answers a question as a stream of lines, each with a letter that says what it is.",
  needs: { inbox: Inbox },
  provides: [Routes],
  errors,
  setup(host) {
    host.provide(Routes, {
      name: "POST /lines",
      method: "POST",
      path: "/lines",
      auth: "token",
      may: "talk",
      summary: "One turn as lines.",
      bodySchema: Body,
      async handle(request) {
        const { body, signal } = request;
        const { ask: text } = body as Static<typeof Body>;
        if (text.trim() === "") throw errors.LINES_EMPTY();
        const message = messageFrom(request, text);
        const events = promptEvents(host.needs.inbox, message, { signal, approvals: "none" });
        return { status: 200, events: frames(events), headers: { "x-dialect": "lines" } };
      },
    });
  },
});
