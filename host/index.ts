/** The door for programs around a host: the command line, the build, a host of one's own. */
export { isTree, loadsOf, type ConfigText, type LineOf } from "./config/check.ts";
export { listedPlugins } from "./config/choose.ts";
export { configure, type Configured } from "./config/configure.ts";
export { valueAt } from "./config/dotted-key.ts";
export { hostReader } from "./config/host-keys.ts";
export { bundledIn, openConfiguration, type Opened } from "./config/open.ts";
export { parseToml, readText } from "./config/read.ts";
export {
  findNode,
  isRecord,
  isTable,
  mergeSchemas,
  othersOf,
  readerOf,
  recordEntry,
  recordValue,
  tablePath,
  type LeafNode,
  type TableNode,
} from "./config/schema.ts";
export { openWorkspace } from "./config/workspace.ts";
export { wrongAt, type Problem } from "./config/wrong-at.ts";
export { hostErrors } from "./errors.ts";
export { Host } from "./host.ts";
export type { EditingHost, HostOptions, SetUpHost } from "./host-options.ts";
export { currentPlugin } from "./plugins/attribution.ts";
export { bundledPlugins, type Bundled } from "./plugins/bundled.ts";
export { HookTable } from "./plugins/hook-table.ts";
export { entryIn, loadPlugin, type LoadedPlugin } from "./plugins/loader.ts";
export { checkManifest } from "./plugins/manifest.ts";
export { fillersOf } from "./plugins/order.ts";
export { PluginInstance } from "./plugins/plugin-instance.ts";
export { Registry } from "./plugins/registry.ts";
export type { Level, LogWriter } from "./record/log-lines.ts";
export { version } from "./version.ts";
