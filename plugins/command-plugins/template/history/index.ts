import { definePlugin, History } from "@gantry/sdk";
import { Type } from "typebox";
import { fit } from "./history.ts";

export default definePlugin({
  name: "history-example",
  summary: "Decides what of a conversation the model is sent: put your own line here.",
  config: Type.Object({
    most: Type.Integer({
      default: 40,
      minimum: 2,
      description: "Messages that are kept of what came before.",
    }),
  }),
  provides: [History],
  setup(host) {
    host.provide(History, { fit: (request) => fit(request, host.config.most) });
  },
});
