import { Agents, definePlugin, Inbox, Media, optional, Routes, Store } from "@gantry/sdk";
import { Type } from "typebox";
import { chatRoute } from "./chat-route.ts";
import { errors } from "./errors.ts";
import { modelRoutes } from "./model-routes.ts";

export default definePlugin({
  name: "gateway-openai",
  summary:
    "Chat completions and models under /v1, for clients that speak OpenAI's API; the pairing token is the key.",
  table: "gateway.openai",
  config: Type.Object({
    session_headers: Type.Array(Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$" }), {
      default: ["X-Gantry-Session"],
      description:
        "Headers that name a client's conversation, the first that is sent counts; without one `user` does, and without that nothing is kept.",
    }),
  }),
  needs: { agents: optional(Agents), inbox: Inbox, store: optional(Store), media: optional(Media) },
  provides: [Routes],
  errors,
  setup(host) {
    const { needs } = host;
    const sessionHeaders = host.config.session_headers.map((name) => name.toLowerCase());
    const agents = () => needs.agents;
    const route = chatRoute({
      agents,
      inbox: needs.inbox,
      media: () => needs.media,
      sessions: () => needs.store?.sessions,
      sessionHeaders,
    });
    host.provide(Routes, route);
    for (const models of modelRoutes(agents)) host.provide(Routes, models);
  },
});
