import { definePlugin, PromptParts } from "@gantry/sdk";
import { Type } from "typebox";
import { createPart } from "./part.ts";

export default definePlugin({
  name: "prompt-example",
  summary: "Tells the model the rules of the house: put your own line here.",
  config: Type.Object({
    house: Type.String({
      default: "Answer politely.",
      description: "What the model is told in every conversation.",
    }),
  }),
  provides: [PromptParts],
  setup(host) {
    host.provide(PromptParts, createPart(host.config.house));
  },
});
