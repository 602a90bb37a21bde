import { textOf, userOf, type ApprovalRequest, type InboundMessage, type Logger } from "@gantry/sdk";
import type { Approvals } from "../tools/approvals.ts";

interface Deps {
  readonly approvals: Approvals;
  readonly log: Logger;
}

/** How a person in a channel answers: `allow 1a2b3c` or `deny 1a2b3c`, with the beginning of the question's id. */
const answerForm = /^\s*(allow|deny)\s+([0-9a-f]{6})\s*$/i;

/** The question as it is sent into the channel. */
export function questionText(request: ApprovalRequest): string {
  const short = request.id.slice(0, 6);
  return [
    `May I run this?`,
    request.preview,
    ...request.reasons,
    `Answer "allow ${short}" or "deny ${short}".`,
  ].join("\n");
}

/** True where the message was an answer to a question, the owner's to an open one of this very conversation, and is used up. */
export function decideInChannel({ approvals, log }: Deps, message: InboundMessage): boolean {
  const [, word, short] = answerForm.exec(textOf(message.parts)) ?? [];
  if (!word || !short) return false;
  const user = userOf(message);
  const request = approvals
    .pending()
    .find(({ id, user: asked }) => asked === user && id.startsWith(short.toLowerCase()));
  // A platform that delivers an answer twice has not sent a message to the agent.
  if (!request) return approvals.wasDecided(short.toLowerCase());
  if (message.trust !== "owner") {
    log.warn({ user }, `${user} answered an approval question and is not an owner of the channel.`);
    return true;
  }
  return approvals.decide(request.id, word.toLowerCase(), user) === "done";
}
