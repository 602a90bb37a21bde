import { signal, type Signal } from "@preact/signals";
import { asFailure, Failure, isUnreachable } from "./failure.ts";
import { account, ask, events, pause } from "./service.ts";
import { afterStep, type FileRef, type Live } from "./live.ts";
import type { TreeNode } from "./tree.tsx";

export interface Message {
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly text: string;
  readonly at?: number;
  readonly files?: readonly FileRef[];
  readonly calls?: readonly { readonly id: string; readonly tool: string; readonly args: string }[];
  readonly call?: string;
  readonly tool?: string;
  readonly failed?: boolean;
  readonly tree?: readonly TreeNode[];
}

/** The loaded part of what was said in a conversation. */
export interface Transcript {
  readonly id: string;
  readonly messages: Signal<readonly Message[] | undefined>;
  readonly hasMore: Signal<boolean>;
  readonly failure: Signal<Failure | undefined>;
}

export interface Conversation extends Transcript {
  readonly live: Signal<Live | undefined>;
  readonly isRunning: Signal<boolean>;
}

const lastTurns = 30;
const earlierTurns = 50;
const pauseMs = 1_000;
/** The texts, and their characters, of one request for trees: the service reads no more. */
const mostTexts = 400;
const mostCharacters = 60_000;
const open = new Map<string, Conversation>();

/** Tells that conversations have come, gone on or gone. */
export const listed = signal(0);

/** Returns a conversation with what is known of it; it goes on while another one is shown. */
export function conversation(id: string, isNew = false): Conversation {
  const known = open.get(id);
  if (known) return known;
  const made: Conversation = {
    id,
    messages: signal(isNew ? [] : undefined),
    hasMore: signal(false),
    live: signal(undefined),
    isRunning: signal(false),
    failure: signal(undefined),
  };
  open.set(id, made);
  if (!isNew) void resume(made);
  return made;
}

/** Forgets all conversations. */
export function forgetAll(): void {
  open.clear();
}

export function isRunning(id: string): boolean {
  return open.get(id)?.isRunning.value === true;
}

/** Loads what was said, and follows the turn that runs. */
async function resume(one: Conversation): Promise<void> {
  try {
    const { turns } = await ask<{ turns: { session: string }[] }>("GET", "/api/turns");
    const runs = turns.some(({ session }) => session === one.id);
    await loadMessages(one).catch((error: unknown) => {
      // A conversation that has no turn yet is not there yet.
      if (!(error instanceof Failure) || error.status !== 404) throw error;
      one.messages.value = [];
    });
    if (runs && !one.isRunning.value) void followTurn(one);
  } catch (error) {
    one.failure.value = asFailure(error);
  }
}

/** Loads the last turns, or those before what is loaded. Throws {@link Failure}. */
export async function loadMessages(one: Transcript, earlier = false): Promise<void> {
  const query = new URLSearchParams({ session: one.id, limit: String(earlier ? earlierTurns : lastTurns) });
  const known = earlier ? (one.messages.value ?? []) : [];
  query.set("skip", String(known.filter(({ role }) => role === "user").length));
  const path = `/api/sessions/messages?${query}`;
  const { messages, more } = await ask<{ messages: Message[]; more: boolean }>("GET", path);
  one.messages.value = [...(await withTrees(messages)), ...known];
  one.hasMore.value = more;
  one.failure.value = undefined;
}

async function withTrees(messages: readonly Message[]): Promise<readonly Message[]> {
  const said = messages.filter(({ role, text }) => role === "assistant" && text !== "");
  if (said.length === 0) return messages;
  const trees = await treesOf(said.map(({ text }) => text));
  const found = new Map(said.map((message, at) => [message, trees[at]]));
  return messages.map((message) => {
    const tree = found.get(message);
    return tree ? { ...message, tree } : message;
  });
}

/** Returns the trees of texts, asked for in requests as large as the service takes. */
async function treesOf(texts: readonly string[]): Promise<readonly (readonly TreeNode[])[]> {
  const trees: (readonly TreeNode[])[] = [];
  let batch: string[] = [];
  let size = 0;
  const read = async (): Promise<void> => {
    if (batch.length === 0) return;
    const asked = { texts: batch };
    const found = await ask<{ trees: (readonly TreeNode[])[] }>("POST", "/api/markdown", asked);
    trees.push(...found.trees);
    [batch, size] = [[], 0];
  };
  for (const text of texts) {
    if (batch.length >= mostTexts || size + text.length > mostCharacters) await read();
    batch.push(text);
    size += text.length;
  }
  await read();
  return trees;
}

/** Begins a turn. */
export async function say(one: Conversation, text: string, files: readonly FileRef[]): Promise<void> {
  one.isRunning.value = true;
  one.live.value = { text, files, items: [], asked: [] };
  try {
    const ids = files.map(({ id }) => id);
    await ask("POST", "/api/turns", { message: text, session_id: one.id, files: ids });
  } catch (error) {
    one.isRunning.value = false;
    one.live.value = undefined;
    throw error;
  }
  await followTurn(one);
}

export async function stop(one: Conversation): Promise<void> {
  await ask("DELETE", `/api/turns?session=${encodeURIComponent(one.id)}`);
}

/** Reads the steps of a turn to its end, over connections that are lost. */
async function followTurn(one: Conversation): Promise<void> {
  one.isRunning.value = true;
  const until = new AbortController();
  const device = account.value?.device;
  const read = { steps: 0, isOver: false };
  const take = (event: string, data: Record<string, unknown>): void => {
    const n = Number(data["n"]);
    if (n <= read.steps) return;
    read.steps = n;
    read.isOver ||= event === "done" || event === "error";
    one.live.value = afterStep(one.live.value, event, data);
  };
  while (!read.isOver && account.value?.device === device) {
    const path = `/api/turns/events?session=${encodeURIComponent(one.id)}&after=${read.steps}`;
    try {
      await events(path, take, until.signal);
    } catch (error) {
      // The service has forgotten it, as after a restart: what became of it stands in the
      // conversation.
      if (error instanceof Failure && error.status === 404) break;
      if (!isUnreachable(error)) one.failure.value = asFailure(error);
    }
    if (!read.isOver) await pause(pauseMs, until.signal);
  }
  await settle(one);
}

/** Shows what was kept of a turn in place of its steps. */
async function settle(one: Conversation): Promise<void> {
  const error = one.live.value?.error;
  await loadMessages(one).catch(() => {});
  one.isRunning.value = false;
  // A turn that failed may not be kept: then its steps stay.
  if (error === undefined) one.live.value = undefined;
  listed.value += 1;
}
