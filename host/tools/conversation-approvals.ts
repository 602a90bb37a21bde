import type { Question, ShellReader, ToolCall } from "@gantry/sdk";
import { shownName } from "@gantry/sdk/node";
import { digestOf } from "./effects.ts";
import { plainText } from "./plain-text.ts";

/** Conversations that are remembered; the one longest unused is forgotten first. */
const maxConversations = 1_000;

/** The extent of a yes for the rest of a conversation: in words for the person, and as one key. */
export interface Coverage {
  readonly shown: string;
  readonly key: string;
}

interface Given {
  readonly by: string;
  /** Key, and the code of a question it lifts. */
  readonly lifts: Set<string>;
}

/** Approvals for one speaker and one tool each, until their conversation or this process ends. */
export class ConversationApprovals {
  /** By conversation, then by speaker and tool. */
  readonly #given = new Map<string, Map<string, Given>>();

  add(call: ToolCall, questions: readonly Question[], coverage: Coverage, by: string): void {
    const conversation = this.#given.get(call.session) ?? new Map<string, Given>();
    this.#given.delete(call.session);
    this.#given.set(call.session, conversation);
    if (this.#given.size > maxConversations) this.#given.delete([...this.#given.keys()][0] as string);

    const holder = holderOf(call);
    const given = conversation.get(holder) ?? { by, lifts: new Set<string>() };
    conversation.set(holder, given);
    for (const { code } of questions) given.lifts.add(JSON.stringify([coverage.key, code]));
  }

  /** The conversation has ended. */
  forget(conversation: string): void {
    this.#given.delete(conversation);
  }

  /** Returns who approved all these questions about all of the call; undefined if any is left. */
  covering(call: ToolCall, questions: readonly Question[], coverage: Coverage): string | undefined {
    const given = this.#given.get(call.session)?.get(holderOf(call));
    const all = questions.every(
      ({ code }) => given?.lifts.has(JSON.stringify([coverage.key, code])) === true,
    );
    return all ? given?.by : undefined;
  }
}

/**
 * Returns what was asked about as a whole: for a shell the same command, word by word; for several,
 * however joined, the same text; for files the same resolved paths; else the same arguments.
 */
export async function coverageOf(call: ToolCall, shell: ShellReader | undefined): Promise<Coverage> {
  const { paths, commands, urls, recipients = [], target, unknown } = call.effects;
  const parts: unknown[] = [call.cwd];
  const shown: string[] = [];
  for (const command of commands) {
    const text = await plainText(command, shell);
    const [only, ...others] = text?.startsOthers ? [] : (text?.commands ?? []);
    const words = others.length === 0 ? only?.words : undefined;
    parts.push(words ? ["words", words] : ["text", command]);
    shown.push(words ? `\`${words.map(asTyped).join(" ")}\`` : "this very command line");
  }
  for (const { resolved, access } of paths) {
    parts.push(["path", access, resolved]);
    shown.push(`to ${access} ${shownName(resolved)}`);
  }
  const isOut = urls.length > 0 || recipients.length > 0;
  const isMore = isOut || target !== undefined || unknown === true || shown.length === 0;
  if (isMore) {
    parts.push(digestOf(call.tool, call.args, call.cwd, call.effects));
    shown.push(`with exactly these arguments${target ? ` on ${target.shown}` : ""}`);
  }
  return { key: JSON.stringify(parts), shown: `${call.tool} ${[...new Set(shown)].join(", ")}` };
}

/** Quoted where blanks or signs in a word would let it be taken for more than one. */
function asTyped(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function holderOf({ user, tool }: ToolCall): string {
  return JSON.stringify([user, tool]);
}
