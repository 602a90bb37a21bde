import type { ApprovalRequest, ChatCommand, ChatCommandRun } from "@gantry/sdk";

export const decisionCommands: readonly ChatCommand[] = [
  {
    name: "approve",
    args: "[id]",
    summary: "allow the call that is asked about",
    trust: "owner",
    may: "decide",
    run: (run) => decide(run, "allow"),
  },
  {
    name: "deny",
    args: "[id]",
    summary: "refuse the call that is asked about",
    trust: "owner",
    may: "decide",
    run: (run) => decide(run, "deny"),
  },
];

/** Decides the only open question that fits the id; says so if several do, or the id is needed. */
async function decide({ args, conversation }: ChatCommandRun, decision: "allow" | "deny"): Promise<string> {
  const open = (await conversation.questions()).filter(({ id }) => id.startsWith(args.toLowerCase()));
  const [question] = open;
  if (!question) return "There is no such open question.";
  if (open.length > 1) {
    return ["Several are open; say which:", ...open.map(lineOf)].join("\n");
  }
  const outcome = await conversation.decide(question.id, decision);
  if (outcome === "unnamed") return unnamedText(decision, question);
  if (outcome !== "done") return `It could not be decided: ${outcome}.`;
  return `${question.tool}: ${decision === "allow" ? "allowed" : "denied"}.`;
}

function unnamedText(decision: "allow" | "deny", { id }: ApprovalRequest): string {
  const word = decision === "allow" ? "approve" : "deny";
  return `Here a decision needs the id of its question. Say "/${word} ${id.slice(0, 6)}".`;
}

/** That more than the first line would run must not be hidden by a list. */
function lineOf({ id, tool, preview, lines }: ApprovalRequest): string {
  const more = lines > 1 ? ` … (${lines} lines)` : "";
  return `${id.slice(0, 6)} ${tool}: ${preview.split("\n", 1)[0]}${more}`;
}
