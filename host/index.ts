/** The door for programs around a host: the command line, the build, a host of one's own. */
export { isTree, type ConfigText } from "./config/check.ts";
export { listedPlugins } from "./config/choose.ts";
export { noKey, pathOf } from "./config/config-file.ts";
export { configure } from "./config/configure.ts";
export { readValue, setKey, unsetKey, writeWhole } from "./config/edit.ts";
export { readText, readTree } from "./config/read.ts";
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
export { mapToml, samePath } from "./config/toml-map.ts";
export type { Problem } from "./config/wrong-at.ts";
export { hostErrors } from "./errors.ts";
export { Host } from "./host.ts";
export type { HostOptions } from "./host-options.ts";
export { changedKeys, effective, Installation, type StartOptions } from "./installation.ts";
export { currentPlugin } from "./plugins/attribution.ts";
export { bundledPlugins, type Bundled } from "./plugins/bundled.ts";
export { entryIn, loadPlugin, type LoadedPlugin } from "./plugins/loader.ts";
export type { Audit } from "./record/audit.ts";
export { foldedWriter } from "./record/fold.ts";
export { jsonWriter, terminalWriter, type Level, type LogWriter } from "./record/log.ts";
export { printable, printableProse, terminalLine } from "./record/printable.ts";
export { stopNote } from "./turn/stop-note.ts";
export { version } from "./version.ts";
