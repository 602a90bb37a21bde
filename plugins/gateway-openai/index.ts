import { Agents, definePlugin, Inbox, Media, optional, Routes, Store } from "@gantry/sdk";
import { Type } from "typebox";
import type { Answers } from "./answers.ts";
import { errors } from "./errors.ts";
import { modelRoutes } from "./model-routes.ts";
import { turnRoutes } from "./turn-routes.ts";

export default definePlugin({
  name: "gateway-openai",
  summary:
    "Chat completions, responses and models under /v1, for clients that speak OpenAI's API; the pairing token is the key.",
  table: "gateway.openai",
  config: Type.Object({
    session_headers: Type.Array(Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$" }), {
      default: ["X-Gantry-Session"],
      description:
        "Headers that name a client's conversation, the first that is sent counts; without one `user` does, and without that nothing is kept.",
    }),
    responses_days: Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: 30,
      description: "Days that a response is kept after the last one of its conversation.",
    }),
    responses_conversations: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 1_000,
      description: "Conversations of responses that are kept for one token; the longest unused make room.",
    }),
    responses_mib: Type.Integer({
      minimum: 8,
      maximum: 65_536,
      default: 256,
      description:
        "MiB of responses, with their inputs, that are kept for one token; the longest unused conversations make room.",
    }),
  }),
  needs: {
    agents: optional(Agents),
    inbox: Inbox,
    store: optional(Store),
    media: optional(Media),
  },
  provides: [Routes],
  errors,
  setup(host) {
    const { needs, config } = host;
    const agents = () => needs.agents;
    const deps = {
      agents,
      inbox: needs.inbox,
      media: () => needs.media,
      store: () => needs.store,
      sessionHeaders: config.session_headers.map((name) => name.toLowerCase()),
      responses: {
        days: config.responses_days,
        conversations: config.responses_conversations,
        bytes: config.responses_mib * 1024 * 1024,
      },
    };
    let answers: Promise<Answers> | undefined;
    const loaded = () => (answers ??= import("./answers.ts").then(({ answersWith }) => answersWith(deps)));
    for (const route of turnRoutes(loaded)) host.provide(Routes, route);
    for (const route of modelRoutes(agents)) host.provide(Routes, route);
  },
});
