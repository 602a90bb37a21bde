/** The door for programs around a host: the command line, the build, a host of one's own. */
export { isTree, type ConfigText } from "./config/check.ts";
export { listedPlugins } from "./config/choose.ts";
export { noKey, pathOf, type ConfigFileDeps } from "./config/config-file.ts";
export { configure } from "./config/configure.ts";
export { changedKeys, effective } from "./config/effective.ts";
export { readText, readTree } from "./config/read.ts";
export { reloadService } from "./config/reload.ts";
export {
  findNode,
  isRecord,
  isTable,
  jsonSchema,
  keysOf,
  leaves,
  othersOf,
  readerOf,
  recordValue,
  type LeafNode,
  type TableNode,
} from "./config/schema.ts";
export { writeWhole } from "./config/write-whole.ts";
export type { Problem } from "./config/wrong-at.ts";
export { hostErrors } from "./errors.ts";
export { Host } from "./host.ts";
export type { HostOptions } from "./host-options.ts";
export { Installation, type Opened, type StartOptions } from "./installation.ts";
export { currentPlugin } from "./plugins/attribution.ts";
export { bundledPlugins, type Bundled } from "./plugins/bundled.ts";
export { entryIn, loadPlugin, type LoadedPlugin } from "./plugins/loader.ts";
export type { Level, LogWriter } from "./record/log-lines.ts";
export { printable, printableProse, terminalLine } from "./record/printable.ts";
export { stopNote } from "./turn/stop-note.ts";
export { version } from "./version.ts";
