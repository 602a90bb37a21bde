import type { Route } from "@gantry/sdk";
import { Type } from "typebox";
import type { Static } from "typebox";
import { answerTree } from "./answer-tree.ts";

const body = Type.Object({ texts: Type.Array(Type.String(), { maxItems: 400 }) });

/** Reads what models write, so that a page builds nodes and never HTML. */
export function markdownRoute(): Route {
  return {
    name: "POST /api/markdown",
    method: "POST",
    path: "/api/markdown",
    auth: "token",
    may: "talk",
    summary: "Reads Markdown: the tree of each of `texts`, without HTML and with harmless links alone.",
    bodyLimit: 4 * 1024 * 1024,
    bodySchema: body,
    async handle(request) {
      const { texts } = request.body as Static<typeof body>;
      return { status: 200, body: { trees: await Promise.all(texts.map(answerTree)) } };
    },
  };
}
