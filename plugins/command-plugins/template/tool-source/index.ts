import { definePlugin, ToolSources } from "@gantry/sdk";
import { Type } from "typebox";
import { createSource, type Server } from "./tool-source.ts";

/** In place of a real server: reach it through `Upstream`, or start it through `Sandbox.open()`. */
export function echoServer(words: readonly string[]): Server {
  return {
    list: async () =>
      words.map((word) => ({
        name: word,
        description: `Says ${word} and the text.`,
        input: Type.Object({ text: Type.String() }),
        call: async ({ text }) => `${word} ${String(text)}`,
      })),
  };
}

export default definePlugin({
  name: "tool-source-example",
  summary: "Offers the tools of a server: put your own line here.",
  config: Type.Object({
    words: Type.Array(Type.String({ pattern: "^[a-z]{1,20}$" }), {
      default: ["hello"],
      description: "A tool for each of these words.",
    }),
  }),
  provides: [ToolSources],
  setup(host) {
    host.provide(ToolSources, createSource("example", echoServer(host.config.words)).source);
  },
});
