/** Code that plugins and the host share and that touches Node: paths, links, locks, timeouts. */
import type { Decoy } from "./decoy.ts";

export type { Decoy };
export type { Admission, CheckedProxy, ProxyRules } from "./checked-proxy.ts";
export { answerApart } from "./answer-apart.ts";
export { MAX_FACTS, type ApartMessage } from "./apart-message.ts";
export { after, isPromise, together } from "./awaited.ts";
export { bridgeTo, type Bridge } from "./bridge.ts";
export { runForCaller, userAround, withinCaller } from "./caller-around.ts";
export { deepFreeze } from "./deep-freeze.ts";
export { expectedValue, type SchemaIssue } from "./expected-value.ts";
export { entryBeside, type Entry } from "./entry-beside.ts";
export { asError } from "./errors.ts";
export { foreignOnTheWay, type ForeignPlace } from "./foreign-place.ts";
export { homesIn } from "./home.ts";
export { inSlices, inTime } from "./in-slices.ts";
export { expandHome, followLinks, isInside } from "./links.ts";
export { fileNames, secretFiles, type NameTest } from "../security/file-names.ts";
export { type Wildcard, wildcards } from "../security/wildcards.ts";
export { hearLines, tellLine, type LogLine } from "./log-feed.ts";
export { markLookAlikes, type Marked } from "./look-alikes.ts";
export { makeDir } from "./make-dir.ts";
export { nearest } from "./nearest.ts";
export { npmInstall } from "./npm-install.ts";
export { Pairing, type PairingCode, type PairingConfig, type PairingGrant } from "./pairing.ts";
export { gantryCommand, isExecutable, nodeArguments, nodeCommand, nodeProgram } from "./node-command.ts";
export {
  changedFiles,
  fileHash,
  folderHashes,
  manifestDifference,
  pluginLockFile,
  readPluginLock,
  type LockedPackage,
  type PluginLock,
  type StatedManifest,
} from "./plugin-lock.ts";
export { printable } from "./printable.ts";
export { shownName } from "./shown-name.ts";
export { pluginModule } from "./plugin-module.ts";
export { identity as processIdentity, newProcessName, processLives } from "./process-identity.ts";
export { ProcessLock } from "./process-lock.ts";
export { valuesOfProcess, type ValueSpaces } from "./process-values.ts";
export {
  configHash,
  readRunning,
  removeRunning,
  servingLock,
  takeServingLock,
  writeRunning,
  type RunningRecord,
} from "./running-record.ts";
export { replaceFile, type ReplaceOptions } from "./replace-file.ts";
export { shortHash } from "./short-hash.ts";
export { notedReply, stopNote } from "./stop-note.ts";
export { surplus } from "./surplus.ts";
export { turnIds, type TurnIds } from "./turn-ids.ts";
export { laneMove } from "./lane-move.ts";
export { ToldProgress } from "./told-progress.ts";
export { wrongBody, wrongValue } from "./wrong-value.ts";
export { userOfTerminal } from "./terminal-user.ts";
export { bodiless, webResponse, type ResponseFacts } from "./web-response.ts";
export { holdLane, whileHeld } from "./while-held.ts";
export { withTimeout } from "./with-timeout.ts";
export { workApart, type ApartAnswer, type ApartBounds, type ApartWork } from "./work-apart.ts";

/** The proxy that lets programs out under the rules of `Net`, loaded when it is wanted. */
export const checkedProxy = (): Promise<typeof import("./checked-proxy.ts")> => import("./checked-proxy.ts");

/** Shows whether something reaches loopback without being asked to, loaded when it is wanted. */
export const openDecoy = async (): Promise<Decoy> => (await import("./decoy.ts")).openDecoy();
