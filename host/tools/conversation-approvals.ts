import type { Question, ShellReader, ToolCall } from "@gantry/sdk";
import { digestOf } from "./effects.ts";
import { plainCommands } from "./plain-commands.ts";

/** Conversations that are remembered; the one longest unused is forgotten first. */
const maxConversations = 1_000;

/** What a yes for the rest of a conversation covers: in words for the person, and as keys to compare by. */
export interface Coverage {
  readonly shown: string;
  readonly keys: readonly string[];
}

interface Given {
  readonly by: string;
  /** Key, and the code of a question it lifts. */
  readonly lifts: Set<string>;
}

/** Approvals that hold until their conversation or this process ends, for one speaker and one tool each. */
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
    for (const key of coverage.keys)
      for (const { code } of questions) given.lifts.add(JSON.stringify([key, code]));
  }

  /** The conversation has ended. */
  forget(conversation: string): void {
    this.#given.delete(conversation);
  }

  /** Who gave the approval that lifts all these questions about all of the call; undefined where any is left. */
  covering(call: ToolCall, questions: readonly Question[], coverage: Coverage): string | undefined {
    const given = this.#given.get(call.session)?.get(holderOf(call));
    const all = coverage.keys.every((key) =>
      questions.every(({ code }) => given?.lifts.has(JSON.stringify([key, code])) === true),
    );
    return all ? given?.by : undefined;
  }
}

/**
 * For a shell the same commands, word by word, in whatever order; of a text that is more than plain commands, the same text.
 * For files the same resolved paths. For everything else exactly the same arguments.
 */
export async function coverageOf(call: ToolCall, shell: ShellReader | undefined): Promise<Coverage> {
  const { paths, commands, urls, recipients = [], target, unknown } = call.effects;
  const keys: string[] = [];
  const shown: string[] = [];
  for (const command of commands) {
    const plain = await plainCommands(command, shell);
    keys.push(...(plain ?? [[command]]).map((words) => JSON.stringify([plain ? "words" : "text", words])));
    shown.push(...(plain?.map((words) => `\`${words.join(" ")}\``) ?? ["this very command line"]));
  }
  for (const { resolved, access } of paths) {
    keys.push(JSON.stringify(["path", access, resolved]));
    shown.push(`to ${access} ${resolved}`);
  }
  const isOut = urls.length > 0 || recipients.length > 0;
  const isMore = isOut || target !== undefined || unknown === true || keys.length === 0;
  if (isMore) {
    keys.push(digestOf(call.tool, call.args, call.cwd, call.effects));
    shown.push(`with exactly these arguments${target ? ` on ${target.shown}` : ""}`);
  }
  return { keys, shown: `${call.tool} ${[...new Set(shown)].join(", ")}` };
}

function holderOf({ user, tool }: ToolCall): string {
  return JSON.stringify([user, tool]);
}
