import { Type } from "typebox";
import { agentKeys, ask, definePlugin, optional, refuse, Sandbox, ShellReader } from "@gantry/sdk";
import { blockedFrom } from "./blocked.ts";
import { judge } from "./decide.ts";
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
    agent: Type.Object({ autonomy_level: agentKeys.autonomy_level }),
    security: Type.Object({
      blocked_commands: Type.Array(Type.String(), {
        default: DEFAULTS.split(" "),
        description:
          "Commands that never run, wherever they stand on a command line; an entry is a name, or a name with its first arguments.",
      }),
    }),
  }),
  needs: { sandbox: optional(Sandbox) },
  provides: [ShellReader],
  taps: ["beforeToolCall"],
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
      if (agent.autonomy_level !== "autonomous") return ask(errors.COMMAND_UNCERTAIN(doubt));
      // The walls bind what cannot be read; in front of them nobody is asked.
      const walls = await host.needs.sandbox?.policy();
      return walls?.files && walls.network ? undefined : refuse(errors.COMMAND_NO_WALLS(doubt));
    });
  },
});
