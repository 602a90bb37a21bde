import { Type } from "typebox";
import { definePlugin, ShellReader, type Question } from "@gantry/sdk";
import { blockedFrom } from "./blocked.ts";
import { decide } from "./decide.ts";
import { errors } from "./errors.ts";
import { createReader } from "./reader.ts";

const DEFAULTS =
  "sudo su doas mkfs dd shutdown reboot poweroff halt mount umount insmod rmmod modprobe " +
  "chroot nsenter unshare iptables nft passwd useradd userdel crontab";

export default definePlugin({
  name: "guard-commands",
  summary: "Reads shell command lines the way bash does and refuses what is blocked.",
  table: "",
  config: Type.Object({
    security: Type.Object({
      blocked_commands: Type.Array(Type.String(), {
        default: DEFAULTS.split(" "),
        description:
          "Commands that never run, wherever they stand on a command line; an entry is a name, or a name with its first arguments.",
      }),
    }),
  }),
  provides: [ShellReader],
  taps: ["beforeToolCall"],
  errors,
  setup(host) {
    const blocked = blockedFrom(host.config.security.blocked_commands);
    const reader = createReader();
    host.provide(ShellReader, reader);
    host.onServe(async () => void (await reader.whole("true")));
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
