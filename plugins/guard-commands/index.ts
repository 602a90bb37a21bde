import { Type } from "typebox";
import {
  agentKeys,
  ask,
  Checks,
  definePlugin,
  optional,
  refuse,
  Sandbox,
  securityKeys,
  ShellReader,
} from "@gantry/sdk";
import { blockedFrom } from "./blocked.ts";
import { doubtOf, refusalOf } from "./decide.ts";
import { errors } from "./errors.ts";
import { narrowRules, ruleRows } from "./narrow-rules.ts";
import { createReader } from "./reader.ts";

export default definePlugin({
  name: "guard-commands",
  summary: "Reads shell command lines the way bash does and refuses what is blocked.",
  table: "",
  config: Type.Object({
    agent: Type.Object({ autonomy_level: agentKeys.autonomy_level }),
    security: Type.Object({
      allow: securityKeys.allow,
      blocked_commands: securityKeys.blocked_commands,
    }),
  }),
  needs: { sandbox: optional(Sandbox) },
  provides: [Checks, ShellReader],
  taps: ["beforeToolCall"],
  enforces: ["security.blocked_commands"],
  errors,
  setup(host) {
    const { agent, security } = host.config;
    const blocked = blockedFrom(security.blocked_commands);
    const reader = createReader();
    host.provide(ShellReader, reader);
    host.provide(Checks, {
      name: "allow-rules",
      kind: "status",
      run: async () => ruleRows(security.allow),
    });
    host.onServe(async () => {
      for (const { code, message } of narrowRules(security.allow)) host.log.warn({ code }, message);
      await reader.whole("true");
    });
    host.hooks.beforeToolCall.tap(async (call) => {
      let doubt: string | undefined;
      let isNameable = true;
      for (const command of call.effects.commands) {
        const reading = await reader.whole(command);
        const refusal = refusalOf(reading, blocked);
        if (refusal) return refusal;
        const own = doubtOf(reading);
        doubt ??= own;
        isNameable &&= own === undefined || (await reader.read(command)).plain !== undefined;
      }
      if (doubt === undefined) return undefined;
      // Walls bind whatever a command turns out to run.
      const walls = await host.needs.sandbox?.policy();
      if (walls?.files && walls.network) return undefined;
      // Autonomous, the host refuses what is asked here, unless security.allow names it.
      return (call.autonomy ?? agent.autonomy_level) === "autonomous" && !isNameable
        ? refuse(errors.COMMAND_NO_WALLS(doubt))
        : ask(errors.COMMAND_UNCERTAIN(doubt));
    });
  },
});
