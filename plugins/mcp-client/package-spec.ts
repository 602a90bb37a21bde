import { printable } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** One release of a package, which is the same whenever it is fetched. */
export interface PackageSpec {
  readonly name: string;
  readonly version: string;
}

const PREFIX = /^npm:/i;
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const MAX_NAME = 214;

/**
 * Returns undefined for what is not `npm:…`. Throws MCP_PACKAGE unless it names one exact version.
 */
export function packageSpec(address: string): PackageSpec | undefined {
  if (!PREFIX.test(address)) return undefined;
  const spec = address.replace(PREFIX, "");
  const at = spec.lastIndexOf("@");
  const [name, version] = at > 0 ? [spec.slice(0, at), spec.slice(at + 1)] : [spec, ""];
  if (!NAME.test(name) || name.length > MAX_NAME || !VERSION.test(version))
    throw errors.MCP_PACKAGE(printable(address, 200));
  return { name, version };
}
