import type { Route, Said, ToolQuestions } from "@gantry/sdk";
import { Type } from "typebox";
import type { Static } from "typebox";
import { errors } from "./errors.ts";

const fields = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]));
const body = Type.Union([
  Type.Object({ answer: Type.Union([Type.String({ maxLength: 10_000 }), fields]) }),
  Type.Object({ action: Type.Union([Type.Literal("decline"), Type.Literal("cancel")]) }),
]);

/** Answers what a tool has asked the device whose stream it is. */
export function questionRoute(questions: ToolQuestions): Route {
  return {
    name: "POST /api/questions/:id",
    method: "POST",
    path: "/api/questions/:id",
    auth: "token",
    may: "talk",
    summary: "Answers the question of a tool, once: `answer` is a text or the fields of its form.",
    bodySchema: body,
    replySchema: Type.Object({ id: Type.String() }),
    async handle({ params: { id = "" }, body: given, device }) {
      const asked = given as Static<typeof body>;
      const said: Said = "answer" in asked ? asked.answer : asked;
      const answered = await questions.answer(id, said, { user: `http:${device ?? "local"}` });
      // A question that is not theirs to answer looks like one that does not exist.
      if (answered.outcome === "unknown" || answered.outcome === "forbidden")
        throw errors.GATEWAY_QUESTION_UNKNOWN();
      if (answered.outcome === "decided") throw errors.GATEWAY_QUESTION_ANSWERED();
      if (answered.outcome === "wrong") throw errors.GATEWAY_QUESTION_WRONG(answered.reason);
      return { status: 200, body: { id } };
    },
  };
}
