import type {
  AnySlot,
  Channel,
  ChatCommand,
  Check,
  Command,
  History,
  HookName,
  Observer,
  OwnMemory,
  PromptPart,
  ResultFilter,
  Route,
  Service,
  Speaker,
  Standing,
  Tool,
  ToolSource,
  Transcriber,
} from "@gantry/sdk";
import * as sdk from "@gantry/sdk";
import type { Budget, OwnerDoors, Pages, Redactor, StatusPart } from "@gantry/sdk/fill";
import * as fill from "@gantry/sdk/fill";

/** The time of a function's answer: the host waits for it, or has to have it at once. */
type Way = "later" | "at once";
type FunctionsOf<T> = {
  [K in keyof T]-?: [NonNullable<T[K]>] extends [never]
    ? never
    : NonNullable<T[K]> extends (...args: any[]) => unknown
      ? K
      : never;
}[keyof T];
/** All functions that the values of a slot may have, none left out. */
type Ways<T> = { readonly [K in FunctionsOf<T>]: Way };
const later = "later";

const observers: Ways<Observer> = {
  turnStarted: later,
  turnEnded: later,
  modelAnswered: later,
  toolStarted: later,
  toolRefused: later,
  approvalAsked: later,
  approvalDecided: later,
  toolFinished: later,
  laneMoved: later,
  sessionEnded: later,
};

/**
 * The slots whose values pass between processes. A value that has a function which must answer at
 * once does not pass; neither does a value of any other slot.
 */
export const passing: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  budget: { check: later } satisfies Ways<Budget>,
  channels: {
    send: later,
    working: later,
    ask: later,
    settled: later,
    edit: later,
    onTurnEvent: later,
    idOf: "at once",
  } satisfies Ways<Channel>,
  "chat-commands": {
    alsoFor: later,
    run: later,
    next: later,
    begins: later,
    stopped: later,
  } satisfies Ways<ChatCommand>,
  checks: { run: later } satisfies Ways<Check>,
  commands: { run: later } satisfies Ways<Command>,
  history: { fit: later } satisfies Ways<History>,
  "material-folders": {},
  memory: {
    remember: later,
    recall: later,
    forget: later,
    prune: later,
    count: later,
    erase: later,
  } satisfies Ways<OwnMemory>,
  meters: { count: later, observe: later, set: later },
  observers,
  "owner-doors": { door: later } satisfies Ways<OwnerDoors>,
  pages: { read: later } satisfies Ways<Pages>,
  "prompt-parts": { text: later, brings: later, note: later } satisfies Ways<PromptPart>,
  "provider-offers": {},
  redactors: { redact: later } satisfies Ways<Redactor>,
  "result-filters": { filter: later } satisfies Ways<ResultFilter>,
  routes: { handle: later, failureBody: "at once" } satisfies Ways<Route>,
  services: { start: later, stop: later } satisfies Ways<Service>,
  speaker: { speak: later } satisfies Ways<Speaker>,
  standings: { trust: later } satisfies Ways<Standing>,
  "status-parts": { words: later } satisfies Ways<StatusPart>,
  "tool-sources": { tools: later, onChange: later } satisfies Ways<ToolSource>,
  tools: {
    offered: later,
    effects: later,
    preview: later,
    tryFirst: later,
    run: later,
    standsFor: "at once",
  } satisfies Ways<Tool>,
  transcriber: { transcribe: later } satisfies Ways<Transcriber>,
};

/** The slot whose values a new process has to start again. */
export const STARTED = "services";

const slots = new Map<string, AnySlot>(
  ([...Object.values(sdk), ...Object.values(fill)] as unknown[])
    .filter(isSlot)
    .map((slot) => [slot.id, slot]),
);

/** Returns a slot of the sdk by its id. */
export function slotOf(id: string): AnySlot | undefined {
  return slots.get(id);
}

/** Returns true for a hook of the host, all of whose answers pass. */
export function isHook(name: string): name is HookName {
  return Object.hasOwn(fill.hookKinds, name);
}

function isSlot(value: unknown): value is AnySlot {
  const { id, many } = (Object(value) ?? {}) as Partial<AnySlot>;
  return typeof id === "string" && typeof many === "boolean";
}
