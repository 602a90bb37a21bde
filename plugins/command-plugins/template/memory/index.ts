import path from "node:path";
import { definePlugin, OwnMemory, Runtime } from "@gantry/sdk";
import { FileMemory } from "./memory.ts";

export default definePlugin({
  name: "memory-example",
  summary: "Remembers in place of the store: put your own line here.",
  needs: { runtime: Runtime },
  provides: [OwnMemory],
  setup(host) {
    host.provide(OwnMemory, new FileMemory(path.join(host.needs.runtime.configDir, "example.memories")));
  },
});
