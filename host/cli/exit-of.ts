import { errors, type ErrorTable, type ExitCode } from "@gantry/sdk";
import { hostErrors, type Host } from "@gantry/host";

/** Returns the exit code of an error by its raiser's table; `unknown` if it stands in none. */
export function exitOf({ options }: Host, code: string, unknown: ExitCode = 1): ExitCode {
  const own = options.plugins.map(({ plugin }) => (plugin.errors ?? {}) as ErrorTable);
  const tables: readonly ErrorTable[] = [errors, hostErrors, ...own];
  return tables.find((table) => Object.hasOwn(table, code))?.[code]?.exit ?? unknown;
}
