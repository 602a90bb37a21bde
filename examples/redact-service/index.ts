import { definePlugin, Net } from "@gantry/sdk";
import { Redactors } from "@gantry/sdk/fill";
import { Type } from "typebox";

const timeoutMs = 5_000;

export default definePlugin({
  name: "redact-service",
  summary: "Has a service of your own take names and the like out of whatever leaves.",
  config: Type.Object({
    url: Type.String({
      default: "https://redact.example.com/text",
      description: 'Takes {"text"} by POST and answers {"text"} without what must not leave.',
    }),
    hold_back: Type.Integer({
      default: 128,
      minimum: 0,
      description: "The length, in characters, of the longest secret that holds white space.",
    }),
  }),
  needs: { net: Net },
  provides: [Redactors],
  setup(host) {
    const { url, hold_back } = host.config;
    host.provide(Redactors, {
      name: host.name,
      holdBack: hold_back,
      async redact(text) {
        if (text.trim() === "") return text;
        const answer = await host.needs.net.fetch({
          url,
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ text }),
          signal: AbortSignal.any([host.signal, AbortSignal.timeout(timeoutMs)]),
        });
        const { text: clean } = JSON.parse(await answer.text()) as { readonly text?: unknown };
        if (answer.status !== 200 || typeof clean !== "string")
          throw new Error(`the service answered HTTP ${answer.status} without a text`);
        return clean;
      },
    });
  },
});
