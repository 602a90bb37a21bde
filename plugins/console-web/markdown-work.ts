import type { Route } from "@gantry/sdk";
import type { Static } from "typebox";
import { answerTrees } from "./answer-tree.ts";
import type { textsBody } from "./routes.ts";

/** Reads what models write, so that a page builds nodes and never HTML. */
export const markdownWork: Route["handle"] = async (request) => {
  const { texts } = request.body as Static<ReturnType<typeof textsBody>>;
  return { status: 200, body: { trees: await answerTrees(texts) } };
};
