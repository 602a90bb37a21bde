import { Type } from "typebox";
import {
  agentKeys,
  ask,
  definePlugin,
  optional,
  refuse,
  Sandbox,
  securityKeys,
  ShellReader,
} from "@gantry/sdk";
import { blockedFrom } from "./blocked.ts";
import { judge } from "./decide.ts";
import { errors } from "./errors.ts";
import { createReader } from "./reader.ts";

export default definePlugin({
  name: "guard-commands",
  summary: "Reads shell command lines the way bash does and refuses what is blocked.",
  table: "",
  config: Type.Object({
    agent: Type.Object({ autonomy_level: agentKeys.autonomy_level }),
    security: Type.Object({
      blocked_commands: securityKeys.blocked_commands,
    }),
  }),
  needs: { sandbox: optional(Sandbox) },
  provides: [ShellReader],
  taps: ["beforeToolCall"],
  enforces: ["security.blocked_commands"],
  errors,
  setup(host) {
    const { agent, security } = host.config;
    const blocked = blockedFrom(security.blocked_commands);
    const reader = createReader();
    host.provide(ShellReader, reader);
    host.onServe(async () => void (await reader.whole("true")));
    host.hooks.beforeToolCall.tap(async (call) => {
      const doubts: string[] = [];
      for (const command of call.effects.commands) {
        const { refusal, doubt } = judge(await reader.whole(command), blocked);
        if (refusal) return refusal;
        if (doubt !== undefined) doubts.push(doubt);
      }
      const [doubt] = doubts;
      if (doubt === undefined) return undefined;
      if ((call.autonomy ?? agent.autonomy_level) !== "autonomous")
        return ask(errors.COMMAND_UNCERTAIN(doubt));
      // The walls bind what cannot be read; in front of them nobody is asked.
      const walls = await host.needs.sandbox?.policy();
      return walls?.files && walls.network ? undefined : refuse(errors.COMMAND_NO_WALLS(doubt));
    });
  },
});
