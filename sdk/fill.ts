/**
 * The names for plugins that replace a floor of Gantry: the store, the walls, the ways out, the
 * worker.
 */
export { EARLIER_LEVEL } from "./contract/plugin.ts";
export type { CommandOption, OptionValue } from "./contract/command.ts";
export { allOf } from "./contract/errors.ts";
export { materialFiles, sessionSources } from "./tools/material-folder.ts";
export { type HookKind, hookKinds, type TapOptions } from "./contract/hooks.ts";
export {
  type MissingGuard,
  type Enforcement,
  type Trial,
  type Reloaded,
  RuntimeLimits,
} from "./contract/runtime.ts";
export { userOf, laneOf } from "./messages/channel.ts";
export { type ConversationControl, isCommandPrompt } from "./messages/chat-command.ts";
export { type TextPart, splitImages } from "./messages/image-marker.ts";
export type { TurnBudget, CallOptions, ToolCallOutcome } from "./messages/inbox.ts";
export { type MediaFacts, mediaRef, mediaIn } from "./messages/media.ts";
export {
  eventFrame,
  scopesFor,
  type FailureFacts,
  type ReplyHeaders,
  type RouteFailure,
  statusOf,
} from "./messages/route.ts";
export { approvalText, settledText } from "./turns/approval-text.ts";
export type { Decider, DecisionOutcome, QuestionEnd } from "./turns/approval.ts";
export { EventQueue } from "./turns/event-queue.ts";
export { isWholeConversation } from "./turns/history.ts";
export { type TraceParent, readTraceparent } from "./turns/traceparent.ts";
export type { Decision } from "./turns/turn.ts";
export type { RunningTurn } from "./turns/turns.ts";
export {
  type SocketEnd,
  type ConnectTls,
  type ConnectOptions,
  type LoopbackVisit,
  Loopback,
} from "./tools/net.ts";
export { type WebPage, type WebForm, type WebField, Pages } from "./tools/pages.ts";
export type {
  RunSpec,
  DirectoryEntry,
  RunChange,
  WriteOptions,
  FileReplaced,
  FileSearch,
  FoundLine,
  FileFound,
  SearchResult,
  SandboxedFiles,
  SandboxPolicy,
  OpenSpec,
  ProcessPipe,
  ProcessEnd,
  Confining,
} from "./tools/sandbox.ts";
export type { GivenWords, WordsAsked, SaidInChat, AnswerOutcome } from "./tools/tool-question.ts";
export type { ToolFacts } from "./tools/tool-source.ts";
export type { EffectsContext } from "./tools/tool.ts";
export { toolsKeys } from "./tools/tools-config.ts";
export { wrongEffects } from "./tools/wrong-effects.ts";
export { type Door, OwnerDoors } from "./messages/outbox.ts";
export { type BudgetRequest, type BudgetVerdict, Budget } from "./models/budget.ts";
export { providerKeys } from "./models/provider-config.ts";
export {
  type Effort,
  causedBy,
  type Served,
  type RoutedEvent,
  servedBy,
  ModelRouter,
  offerOf,
} from "./models/provider.ts";
export { shownAddress } from "./models/shown-address.ts";
export { charactersPerToken, lengthOf, sizeOf } from "./models/token-size.ts";
export { type StatusPart, StatusParts, type StatusScene } from "./models/status-part.ts";
export type { UsageRow, UsageKey, UsageSum, Usage } from "./models/usage.ts";
export { type ConfigChange, ConfigEditor } from "./store/config-editor.ts";
export {
  type Lease,
  type Claim,
  type Notice,
  noticeId,
  noticeFor,
  type Retry,
  type Acceptance,
  type AcceptBounds,
  type ClaimBounds,
  type KeptMessage,
  type Waiting,
  type LaneStats,
  type Lanes,
} from "./store/lanes.ts";
export {
  type ClaimedTurn,
  type ClaimedTurnOptions,
  type ClaimedMessages,
  type LaneState,
  type RunningWorker,
  MessageWorker,
} from "./store/message-worker.ts";
export {
  type SessionAccess,
  type SessionPage,
  type SessionSummary,
  type SessionView,
  type Sessions,
  turnsToShow,
  type Window,
  type ValueLife,
  type ValuePage,
  type Erased,
} from "./store/store.ts";
export type { AgentAsked } from "./security/agents.ts";
export { type Redactor, Redactors } from "./security/audit.ts";
export { autonomyLevels, isWider } from "./security/autonomy.ts";
export { pathOf } from "./store/dotted-key.ts";
export { isSecret, masked, maskedKeys, putsSecret } from "./security/masked.ts";
export { scopes, isScope, lacking } from "./security/scope.ts";
export { sandboxingKeys } from "./security/security-config.ts";
