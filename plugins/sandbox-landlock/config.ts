import { agentKeys, securityKeys } from "@gantry/sdk";
import { RuntimeLimits, sandboxingKeys } from "@gantry/sdk/fill";
import { Type, type Static } from "typebox";

/** The part of the file that the walls read; the guards share several leaves. */
export const config = Type.Object({
  agent: Type.Object({ autonomy_level: agentKeys.autonomy_level }),
  security: Type.Object({
    blocked_paths: securityKeys.blocked_paths,
    blocked_commands: securityKeys.blocked_commands,
    secret_files: securityKeys.secret_files,
    guarded_files: securityKeys.guarded_files,
    allowed_domains: securityKeys.allowed_domains,
    runs: Type.Union([Type.Literal("view"), Type.Literal("direct")], {
      default: "view",
      description:
        "view: a command works in a copy-on-write view of the workspace; what it did is looked at when it has ended, and only then becomes real. Where the system has no namespaces or overlays for that, status says so, and runs are direct. direct: it works in the workspace itself.",
    }),
    sandboxing: Type.Object({
      landlock_enabled: Type.Optional(
        Type.Boolean({
          description:
            "Kernel walls around what tools start and open. Unset: wherever the kernel has them. true: tools are refused where it has none. false: none, and every such call asks; in autonomous only what can be told from its text runs.",
        }),
      ),
      ...sandboxingKeys,
    }),
  }),
  runtime: RuntimeLimits,
});

export type Bounds = Static<typeof config>["runtime"];
