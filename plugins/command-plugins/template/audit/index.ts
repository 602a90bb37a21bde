import path from "node:path";
import { AuditSinks, definePlugin, Runtime } from "@gantry/sdk";
import { Type } from "typebox";
import { createSink } from "./sink.ts";

export default definePlugin({
  name: "audit-example",
  summary: "Writes what happened to a file: put your own line here.",
  config: Type.Object({
    file: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Where the records go; default: example.jsonl beside config.toml.",
      }),
    ),
  }),
  needs: { runtime: Runtime },
  provides: [AuditSinks],
  setup(host) {
    const { configDir } = host.needs.runtime;
    host.provide(AuditSinks, createSink(host.config.file ?? path.join(configDir, "example.jsonl")));
  },
});
