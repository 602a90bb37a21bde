import {
  PromptParts,
  textParts,
  type ChatMessage,
  type Part,
  type PromptPart,
  type PromptScene,
  type Sources,
  type Trust,
} from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import type { Boundary } from "./boundary.ts";

const defaultOrder = 100;

/**
 * The frame of a system prompt beside the parts of plugins; `added` is what the caller wants in it.
 */
interface PromptFrame {
  readonly boundary: Boundary;
  readonly added: string | undefined;
}

/** Returns a system prompt: the host's opening, plugins' parts, the caller's, the host's rules. */
export async function systemPrompt(
  registry: Registry,
  scene: PromptScene,
  { boundary, added = "" }: PromptFrame,
): Promise<ChatMessage> {
  const texts = [
    "You are Gantry, an agent that works for one owner. Answer in the language you are addressed in, briefly and truthfully.",
    ...(await Promise.all(ordered(registry).map((part) => textOfPart(part, scene)))),
    added,
    `Use the tools where they help; paths are relative to the workspace ${scene.workspace}. A refused call is final: say what was refused and why, and do not try to get around it.`,
    whoSpeaks(scene, boundary),
    boundary.rule,
  ];
  return { role: "system", parts: textParts(texts.filter((text) => text !== "").join("\n\n")) };
}

/** Returns what the texts of the parts bring into the conversation. */
export async function broughtByPrompt(registry: Registry, scene: PromptScene): Promise<Sources> {
  const brought = await Promise.all(ordered(registry).map((part) => part.brings?.(scene)));
  return {
    material: brought.flatMap((sources) => sources?.material ?? []),
    private: brought.flatMap((sources) => sources?.private ?? []),
  };
}

/** Returns what the parts have to say with this very message. */
export async function notesOf(
  registry: Registry,
  scene: PromptScene,
  last: number | undefined,
): Promise<readonly Part[]> {
  const now = Date.now();
  const notes = await Promise.all(ordered(registry).map((part) => part.note?.({ ...scene, now, last })));
  return notes
    .filter((note) => note !== undefined && note !== "")
    .map((text) => ({ type: "text", text: text as string }));
}

/** Names the speaker of a group's words; the boundary makes a mark of it that nobody can write. */
export function speakerNote(name: string, trust: Trust): Part {
  const shown = name.replace(/[^\p{L}\p{N} _.+@-]/gu, "_").slice(0, 60);
  return { type: "text", text: `[${shown}, ${trust}]`, speaker: true };
}

function whoSpeaks({ conversation, trust }: PromptScene, boundary: Boundary): string {
  if (conversation === "group") return boundary.speakers;
  if (trust === "owner") return "The person you talk with is your owner.";
  if (trust === "member")
    return "The person you talk with is not your owner but somebody the owner lets you work for. Only the owner approves calls.";
  return "The person you talk with is a guest, not your owner: help them, and tell them nothing that is the owner's alone.";
}

function ordered(registry: Registry): readonly PromptPart[] {
  const parts = [...(registry.get(PromptParts)?.values() ?? [])];
  return parts.toSorted(
    (a, b) => (a.order ?? defaultOrder) - (b.order ?? defaultOrder) || (a.name < b.name ? -1 : 1),
  );
}

async function textOfPart(part: PromptPart, scene: PromptScene): Promise<string> {
  const text = (await part.text(scene)) ?? "";
  if (text.length <= part.budget) return text;
  return `${text.slice(0, part.budget)}\n[cut: ${text.length - part.budget} more characters]`;
}
