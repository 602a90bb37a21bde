import { Type } from "typebox";
import {
  ask,
  definePlugin,
  GantryError,
  optional,
  refuse,
  Runtime,
  sandboxingKeys,
  securityKeys,
  ShellReader,
} from "@gantry/sdk";
import { checkCommand } from "./check-command.ts";
import { checkPath } from "./check-path.ts";
import { errors } from "./errors.ts";
import { rootsOf, type Roots } from "./roots.ts";

export default definePlugin({
  name: "guard-paths",
  summary: "Keeps file paths inside the workspace.",
  table: "",
  config: Type.Object({
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
  needs: { runtime: Runtime, shell: optional(ShellReader) },
  taps: ["beforeToolCall"],
  errors,
  setup(host) {
    let roots: Promise<Roots> | undefined;
    host.hooks.beforeToolCall.tap(async ({ effects, cwd }) => {
      if (effects.paths.length === 0 && effects.commands.length === 0) return undefined;
      const { runtime, shell } = host.needs;
      const known = await (roots ??= rootsOf(host.config.security, runtime).catch((error: unknown) => {
        roots = undefined;
        throw error;
      }));
      for (const use of effects.paths) {
        const no = checkPath(use, cwd, known);
        if (no) return no;
      }
      for (const command of effects.commands) {
        if (!shell) return ask(errors.PATH_UNREAD());
        try {
          const no = await checkCommand(await shell.read(command), cwd, known);
          if (no) return no;
        } catch (error) {
          if (error instanceof GantryError) return refuse(error);
          throw error;
        }
      }
      return undefined;
    });
  },
});
