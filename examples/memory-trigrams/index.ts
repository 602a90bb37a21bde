import path from "node:path";
import { definePlugin, OwnMemory, Runtime } from "@gantry/sdk";
import { TrigramMemory } from "./trigram-memory.ts";

export default definePlugin({
  name: "memory-trigrams",
  summary:
    "A memory that finds what is written alike, also misspelt; put the vectors of a model in its place.",
  needs: { runtime: Runtime },
  provides: [OwnMemory],
  setup(host) {
    host.provide(OwnMemory, new TrigramMemory(path.join(host.needs.runtime.configDir, "memories.json")));
  },
});
