import { lacking } from "@gantry/sdk/fill";
import {
  refuse,
  ShellReader,
  type Autonomy,
  type Question,
  type Refusal,
  type Tool,
  type ToolCall,
} from "@gantry/sdk";
import { pluginErrors } from "../plugins/errors.ts";
import { errors } from "./errors.ts";
import type { Enforcers } from "../plugins/enforcers.ts";
import type { Registry } from "../plugins/registry.ts";
import type { AllowRules } from "./allow-rules.ts";
import { scopesOf } from "./scopes.ts";
import { isOfferedNow } from "./tool-list.ts";
import type { TurnContext } from "./turn-context.ts";
import { plainText } from "./plain-text.ts";
import { ConversationApprovals, coverageOf, type Coverage } from "./conversation-approvals.ts";

/** A longer command is not shown as a rule. */
const MAX_RULE = 120;

/** The ruling on the guards' questions about one call. */
export type Ruling =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "lifted"; readonly by: string }
  /** `coverage` is undefined if only this one call can be allowed. */
  | { readonly kind: "ask"; readonly coverage: Coverage | undefined };

/** The turn of a call, undefined outside of turns, and its tools, undefined for all. */
interface Having {
  readonly tools?: readonly string[];
  readonly turn?: TurnContext;
}

/** The one place where a question is lifted. No guard can do so; nothing here lifts a refusal. */
export class Rulings {
  readonly #registry: Registry;
  readonly #rules: AllowRules;
  readonly #written: (key: string) => unknown;
  /** The configured one; a turn may have a narrower. */
  readonly level: Autonomy;
  readonly #enforcers: Enforcers;
  readonly conversations: ConversationApprovals = new ConversationApprovals();

  /** `written`: what stands in the file under a dotted key. */
  constructor(
    registry: Registry,
    rules: AllowRules,
    level: Autonomy,
    enforcers: Enforcers,
    written: (key: string) => unknown,
  ) {
    this.#registry = registry;
    this.#rules = rules;
    this.level = level;
    this.#enforcers = enforcers;
    this.#written = written;
  }

  /**
   * A tool that is not offered is not called, whatever the guards say. No tool is offered while no
   * plugin enforces the level of autonomy, nor one to a turn without its scope.
   */
  async unoffered(tool: Tool, { tools, turn }: Having): Promise<Refusal | undefined> {
    if (tool.may !== undefined && turn && !scopesOf(turn).includes(tool.may))
      return refuse(lacking(tool.may, turn.caller));
    if (!this.#enforcers.holdLevel())
      return refuse(pluginErrors.AUTONOMY_UNENFORCED(await this.#enforcers.levelCure()));
    const isHad = tools?.includes(tool.name) ?? true;
    const isOffered = isHad && (await isOfferedNow(tool, turn?.message?.command));
    return isOffered ? undefined : refuse(errors.TOOL_NOT_OFFERED(tool.name));
  }

  /**
   * Supervised, every question is put; autonomous, none: what no rule lifts is refused.
   * `conversation` is the one that an earlier approval was given for.
   */
  async of(
    tool: Tool,
    call: ToolCall,
    questions: readonly Question[],
    conversation: string = call.session,
  ): Promise<Ruling> {
    const level = call.autonomy ?? this.level;
    if (level === "supervised") return { kind: "ask", coverage: undefined };
    const shell = this.#registry.get(ShellReader);

    const rule = await this.#rules.covering(tool, call, shell);
    if (rule !== undefined) return { kind: "lifted", by: `security.allow ${JSON.stringify(rule)}` };
    const { allowedBy } = tool;
    if (allowedBy !== undefined && this.#written(allowedBy) === "allow")
      return { kind: "lifted", by: allowedBy };
    if (level === "autonomous")
      return { kind: "refused", refusal: refuse(await nobodyAsked(tool, call, questions, shell)) };

    const coverage = await coverageOf(call, shell);
    const giver = this.conversations.covering({ ...call, session: conversation }, questions, coverage);
    if (giver === undefined) return { kind: "ask", coverage };
    return { kind: "lifted", by: `${giver} for this conversation (${coverage.shown})` };
  }
}

async function nobodyAsked(
  { name }: Tool,
  { effects }: ToolCall,
  questions: readonly Question[],
  shell: ShellReader | undefined,
): Promise<{ code: string; message: string }> {
  const reasons = questions.map(({ reason }) => reason).join(" ");
  const read = await Promise.all(effects.commands.map((command) => plainText(command, shell)));
  const rules = read.flatMap(
    (text) => text?.commands.map(({ words }) => ruleFor(name, words)) ?? [undefined],
  );
  const isExact = rules.length > 0 && !rules.includes(undefined);
  const shown = JSON.stringify(isExact ? [...new Set(rules)] : [name]);
  // For text beyond commands of plain words, only a rule of the tool's name alone lifts.
  const isWide = !isExact && rules.length > 0;
  return errors.AUTONOMOUS_REFUSED(reasons, isWide ? `${shown}, which lets every call of it go` : shown);
}

/** Returns the rule that covers one command; undefined if none does or no person would write it. */
function ruleFor(name: string, words: readonly string[]): string | undefined {
  const line = words.join(" ");
  return line.length > MAX_RULE || words.some((word) => word === "" || /[\s*?]/.test(word))
    ? undefined
    : `${name}: ${line}`;
}
