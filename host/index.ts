export { keysOf } from "./config/schema.ts";
export { configure } from "./config/configure.ts";
export { Host, type HostOptions } from "./host.ts";
export { loadPlugin, type LoadedPlugin } from "./plugins/loader.ts";
