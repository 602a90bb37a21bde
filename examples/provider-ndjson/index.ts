import { definePlugin, Upstream } from "@gantry/sdk";
import { Type } from "typebox";
import { ndjson } from "./ndjson.ts";

export default definePlugin({
  name: "provider-ndjson",
  summary: "A local model server that streams its answer as lines of JSON.",
  config: Type.Object({
    url: Type.String({ default: "http://localhost:11434", description: "The server's address." }),
  }),
  needs: { upstream: Upstream },
  taps: ["resolveProvider"],
  setup(host) {
    const provider = ndjson(host.needs.upstream, host.config.url);
    host.hooks.resolveProvider.tap((want) => (want.provider === provider.name ? provider : undefined));
  },
});
