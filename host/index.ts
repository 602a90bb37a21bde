export { keysOf } from "./config/schema.ts";
export { configure } from "./config/configure.ts";
export { Host } from "./host.ts";
export type { HostOptions } from "./host-options.ts";
export { loadPlugin, type LoadedPlugin } from "./plugins/loader.ts";
