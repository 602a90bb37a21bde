export { hostCommands } from "./commands/index.ts";
export { cliErrors } from "./errors.ts";
export { Installation } from "./installation.ts";
