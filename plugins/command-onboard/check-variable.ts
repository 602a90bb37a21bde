import { errors } from "./errors.ts";

/** Throws if the variable cannot be read now. */
export function checkVariable(name: string, env: NodeJS.ProcessEnv): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw errors.ONBOARD_BAD_VARIABLE(name);
  if (!env[name]) throw errors.ONBOARD_NO_VARIABLE(name);
}
