/** The names that authors of plugins use. */
export type { Awaitable } from "./contract/awaitable.ts";
export { errors } from "./contract/codes.ts";
export {
  type InputOptions,
  type CommandInput,
  type CommandContext,
  type Command,
  Commands,
  type CheckRow,
  type RowFix,
  type Check,
  Checks,
  type Service,
  Services,
} from "./contract/command.ts";
export {
  type ExitCode,
  GantryError,
  type ErrorRow,
  type ErrorMaker,
  type ErrorTable,
  defineErrors,
  failed,
  usage,
  policy,
} from "./contract/errors.ts";
export {
  type Refusal,
  type Question,
  refuse,
  ask,
  type AuditType,
  type AuditEvent,
  type Hooks,
  type HookName,
  type Tap,
  type Taps,
} from "./contract/hooks.ts";
export type { Logger } from "./contract/logger.ts";
export { Meters } from "./contract/meters.ts";
export type { OnboardingQuestions, OnboardingKeys, OnboardingStep } from "./contract/onboarding.ts";
export {
  SDK_LEVEL,
  type NeededSlots,
  type PluginHost,
  type PluginDefinition,
  type Plugin,
  definePlugin,
} from "./contract/plugin.ts";
export { Runtime, type GuardOpinion, Policy, ConfigFile } from "./contract/runtime.ts";
export { type Slot, type AnySlot, type Filled, one, many, optional } from "./contract/slot.ts";
export {
  type Sender,
  type InboundMessage,
  directMessage,
  type Sent,
  type OutgoingMessage,
  type EditedMessage,
  type Channel,
  Channels,
} from "./messages/channel.ts";
export {
  type ChatCommandRun,
  type ChatCommand,
  type CommandPrompt,
  type CommandTurn,
  ChatCommands,
} from "./messages/chat-command.ts";
export {
  type Json,
  type MediaRef,
  type Part,
  textParts,
  verbatimParts,
  isVerbatim,
  filesForPerson,
  textOf,
  describeMedia,
} from "./messages/content.ts";
export type { Conversation } from "./messages/conversation.ts";
export { type PromptOptions, type Receipt, Inbox } from "./messages/inbox.ts";
export { type ActsFor, messageFrom } from "./messages/message-from.ts";
export { mediaBounds, Media, imageType } from "./messages/media.ts";
export { type ServiceMessage, Outbox } from "./messages/outbox.ts";
export {
  type RouteAccess,
  type RouteFacts,
  type RouteRequest,
  type ServerEvent,
  type RouteReply,
  type RouteSocket,
  type Route,
  Routes,
} from "./messages/route.ts";
export { Speaker, type Speech, Transcriber } from "./messages/speech.ts";
export { approvalTextWithin } from "./turns/approval-text.ts";
export { type ApprovalRequest, Approvals } from "./turns/approval.ts";
export { counted } from "./turns/counted.ts";
export { type HistoryRequest, type FittedHistory, History } from "./turns/history.ts";
export {
  type TurnFacts,
  type ModelAnswer,
  type Stopped,
  type Asked,
  type Observer,
  Observers,
} from "./turns/observer.ts";
export { type PromptEvent, promptEvents } from "./turns/prompt-events.ts";
export { type PromptScene, type PromptPart, PromptParts } from "./turns/prompt.ts";
export { toolQuestionText } from "./turns/question-text.ts";
export type { ToolCallReport, TurnUsage, TurnResult, TurnEnded, TurnEvent } from "./turns/turn.ts";
export { Turns } from "./turns/turns.ts";
export type { PathUse, Effects, Target, Sources, StatedEffects } from "./tools/effects.ts";
export { type MaterialFolder, MaterialFolders } from "./tools/material-folder.ts";
export { type NetRequest, Net, type Socket, Upstream, withoutAnswer, isWithoutAnswer } from "./tools/net.ts";
export { type RunResult, type TriedRun, type OpenProcess, Sandbox } from "./tools/sandbox.ts";
export { type ShellWord, type PlainCommand, type ShellReading, ShellReader } from "./tools/shell.ts";
export {
  type FormField,
  type QuestionForm,
  type WordsWanted,
  type ToolAnswer,
  type ToolQuestion,
  type Said,
  ToolQuestions,
} from "./tools/tool-question.ts";
export type {
  ToolProgress,
  ToolOrigin,
  ToolRun,
  ToolResult,
  PreviewContext,
  Preview,
  TryContext,
  Tried,
  Untried,
} from "./tools/tool-run.ts";
export { type ToolSource, ToolSources, ToolCatalog } from "./tools/tool-source.ts";
export {
  type ToolHints,
  type ToolCall,
  type NamedCall,
  type ToolInput,
  type ArgsOf,
  type Tool,
  Tools,
  type FilteredResult,
  type ResultFilter,
  ResultFilters,
  defineTool,
} from "./tools/tool.ts";
export type { ModelRef } from "./models/model-ref.ts";
export {
  type ToolUse,
  type ChatMessage,
  type ToolSpec,
  type ChatRequest,
  type StopReason,
  type ProviderFailure,
  type ProviderEvent,
  type Capabilities,
  type Provider,
  Providers,
  type ProviderOffer,
  ProviderOffers,
} from "./models/provider.ts";
export { type MemoryEntry, type Memory, OwnMemory } from "./store/memory.ts";
export { type Limits, type Values, listAll, Store } from "./store/store.ts";
export { type Agent, Agents } from "./security/agents.ts";
export { type AuditSink, AuditSinks, Audit } from "./security/audit.ts";
export type { Autonomy } from "./security/autonomy.ts";
export { type Role, People, type Standing, Standings } from "./security/people.ts";
export type { Scope, Caller } from "./security/scope.ts";
export { agentKeys, securityKeys } from "./security/security-config.ts";
export type { Trust } from "./security/trust.ts";
