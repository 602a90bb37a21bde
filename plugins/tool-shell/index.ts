import { agentKeys, Sandbox, Tools, definePlugin, optional, securityKeys } from "@gantry/sdk";
import { toolsKeys } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { closedFiles } from "./closed-files.ts";
import { errors } from "./errors.ts";
import { shellTool } from "./shell.ts";

export default definePlugin({
  name: "tool-shell",
  summary: "shell: one command line, behind the walls of the sandbox.",
  table: "",
  config: Type.Object({
    agent: Type.Object({
      autonomy_level: agentKeys.autonomy_level,
      try_first: Type.Boolean({
        default: false,
        description:
          "In semi-autonomous a shell command that would ask runs first, in a view without network: the question shows what it did, a yes makes that real, a no leaves nothing of it. Needs security.runs = view.",
      }),
    }),
    security: Type.Object({
      shell_enabled: securityKeys.shell_enabled,
      secret_files: securityKeys.secret_files,
      guarded_files: securityKeys.guarded_files,
    }),
    tools: Type.Object({
      shell_timeout_seconds: Type.Integer({
        default: 60,
        minimum: 1,
        maximum: 86_400,
        description: "How long one command of the shell tool may run.",
      }),
      max_output_bytes: toolsKeys.max_output_bytes,
    }),
  }),
  needs: { sandbox: optional(Sandbox) },
  provides: [Tools],
  errors,
  setup(host) {
    const { agent, security, tools } = host.config;
    host.provide(
      Tools,
      shellTool({
        sandbox: host.needs.sandbox,
        enabled: security.shell_enabled,
        tries: (call) =>
          agent.try_first &&
          call.trust === "owner" &&
          (call.autonomy ?? agent.autonomy_level) === "semi-autonomous",
        timeoutMs: tools.shell_timeout_seconds * 1000,
        maxOutputBytes: tools.max_output_bytes,
        closed: closedFiles(security.secret_files, security.guarded_files),
      }),
    );
  },
});
