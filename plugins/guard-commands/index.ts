import { Type } from "typebox";
import { definePlugin, securityKeys, ShellReader, type Question } from "@gantry/sdk";
import { blockedFrom } from "./blocked.ts";
import { decide } from "./decide.ts";
import { errors } from "./errors.ts";
import { createReader } from "./reader.ts";

export default definePlugin({
  name: "guard-commands",
  summary: "Reads shell command lines the way bash does and refuses what is blocked.",
  table: "",
  config: Type.Object({
    security: Type.Object({
      blocked_commands: securityKeys.blocked_commands,
    }),
  }),
  provides: [ShellReader],
  taps: ["beforeToolCall"],
  errors,
  setup(host) {
    const blocked = blockedFrom(host.config.security.blocked_commands);
    const reader = createReader();
    host.provide(ShellReader, reader);
    host.hooks.beforeToolCall.tap(async (call) => {
      let question: Question | undefined;
      for (const command of call.effects.commands) {
        const answer = decide(await reader.whole(command), blocked);
        if (answer?.verdict === "refuse") return answer;
        question ??= answer;
      }
      return question;
    });
  },
});
