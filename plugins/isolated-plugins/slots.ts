import type { AnySlot, HookName } from "@gantry/sdk";
import * as sdk from "@gantry/sdk";
import * as fill from "@gantry/sdk/fill";

/**
 * The functions of each slot's values that may be asked in another process, as their answers may
 * take time or are not waited for. A value with any other function does not pass, nor does any
 * other slot.
 */
export const passing: Readonly<Record<string, readonly string[]>> = {
  budget: ["check"],
  channels: ["send", "working", "ask", "settled", "edit", "onTurnEvent"],
  "chat-commands": ["alsoFor", "run", "next", "begins", "stopped"],
  checks: ["run"],
  commands: ["run"],
  history: ["fit"],
  "material-folders": [],
  memory: ["remember", "recall", "forget", "prune", "count", "erase"],
  meters: ["count", "observe", "set"],
  observers: [
    "turnStarted",
    "turnEnded",
    "modelAnswered",
    "toolStarted",
    "toolRefused",
    "approvalAsked",
    "approvalDecided",
    "toolFinished",
    "laneMoved",
    "sessionEnded",
  ],
  "owner-doors": ["door"],
  pages: ["read"],
  "prompt-parts": ["text", "brings", "note"],
  "provider-offers": [],
  redactors: ["redact"],
  "result-filters": ["filter"],
  routes: ["handle"],
  services: ["start", "stop"],
  speaker: ["speak"],
  standings: ["trust"],
  "status-parts": ["words"],
  "tool-sources": ["tools", "onChange"],
  tools: ["offered", "effects", "preview", "tryFirst", "run"],
  transcriber: ["transcribe"],
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
