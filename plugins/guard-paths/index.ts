import { Type } from "typebox";
import {
  agentKeys,
  ask,
  definePlugin,
  GantryError,
  optional,
  refuse,
  Runtime,
  Sandbox,
  securityKeys,
  ShellReader,
} from "@gantry/sdk";
import { sandboxingKeys } from "@gantry/sdk/fill";
import { isInside } from "@gantry/sdk/node";
import { checkCommand, unreadIn } from "./check-command.ts";
import { checkPath } from "./check-path.ts";
import { errors } from "./errors.ts";
import { rootsOf, type Roots } from "./roots.ts";

export default definePlugin({
  name: "guard-paths",
  summary: "Keeps file paths inside the workspace.",
  table: "",
  config: Type.Object({
    agent: Type.Object({ autonomy_level: agentKeys.autonomy_level }),
    security: Type.Object({
      blocked_paths: securityKeys.blocked_paths,
      secret_files: securityKeys.secret_files,
      guarded_files: securityKeys.guarded_files,
      sandboxing: Type.Object({
        allowed_read_paths: sandboxingKeys.allowed_read_paths,
        allowed_write_paths: sandboxingKeys.allowed_write_paths,
      }),
    }),
  }),
  needs: { runtime: Runtime, shell: optional(ShellReader), sandbox: optional(Sandbox) },
  taps: ["beforeToolCall"],
  enforces: ["security.blocked_paths", "security.secret_files", "security.guarded_files"],
  errors,
  setup(host) {
    const { agent, security } = host.config;
    let roots: Promise<Roots> | undefined;
    host.hooks.beforeToolCall.tap(async ({ effects, cwd, autonomy }) => {
      if (effects.paths.length === 0 && effects.commands.length === 0) return undefined;
      const { runtime, shell, sandbox } = host.needs;
      const all = await (roots ??= rootsOf(security, runtime).catch((error: unknown) => {
        roots = undefined;
        throw error;
      }));
      const known = { ...all, open: isInside(cwd, all.workspace) ? cwd : all.workspace };
      for (const use of effects.paths) {
        const no = checkPath(use, cwd, known);
        if (no) return no;
      }
      const walled = effects.commands.length > 0 && (await sandbox?.policy())?.files === true;
      let unread: string | undefined;
      for (const command of effects.commands) {
        if (!shell) return ask(errors.PATH_UNREAD());
        try {
          const reading = await shell.read(command);
          const no = await checkCommand(reading, cwd, known, walled);
          if (no) return no;
          unread ??= unreadIn(reading);
        } catch (error) {
          if (error instanceof GantryError) return refuse(error);
          throw error;
        }
      }
      if (walled || unread === undefined) return undefined;
      return (autonomy ?? agent.autonomy_level) === "autonomous"
        ? refuse(errors.PATH_NO_WALLS(unread))
        : ask(errors.PATH_UNCERTAIN(unread));
    });
  },
});
