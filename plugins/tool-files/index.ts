import { Sandbox, Tools, definePlugin, optional, securityKeys, toolsKeys } from "@gantry/sdk";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import { listTool } from "./list.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

export default definePlugin({
  name: "tool-files",
  summary: "file_read, file_write, file_list: files, opened behind the walls of the sandbox.",
  table: "",
  config: Type.Object({
    security: Type.Object({ file_write_enabled: securityKeys.file_write_enabled }),
    tools: Type.Object({
      file_operation_timeout_seconds: Type.Integer({
        default: 10,
        minimum: 1,
        maximum: 3_600,
        description: "How long one file operation may take.",
      }),
      max_output_bytes: toolsKeys.max_output_bytes,
    }),
  }),
  needs: { sandbox: optional(Sandbox) },
  provides: [Tools],
  errors,
  setup(host) {
    const { security, tools } = host.config;
    const shared = {
      sandbox: host.needs.sandbox,
      timeoutMs: tools.file_operation_timeout_seconds * 1000,
      maxOutputBytes: tools.max_output_bytes,
    };
    host.provide(Tools, readTool(shared));
    host.provide(Tools, writeTool({ ...shared, enabled: security.file_write_enabled }));
    host.provide(Tools, listTool(shared));
  },
});
