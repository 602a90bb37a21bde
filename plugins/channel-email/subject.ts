/** How the usual programs begin the subject of a reply and of a mail that is passed on. */
const reply =
  /^\s*(?:re|aw|sv|antw|odp|vs|rif|res|回复|答复|返信)\s*(?:(?:\[\d{1,3}\]|\(\d{1,3}\))\s*)?[:：]\s*/i;
const forward = /^\s*(?:fwd?|wg|tr|rv|i|vb|doorst|enc|转发)\s*[:：]\s*/i;

export function isReply(subject: string): boolean {
  return reply.test(subject);
}

/** True where what follows is the subject of somebody else's mail. */
export function isForward(subject: string): boolean {
  return forward.test(subject.replace(reply, ""));
}

/** Without any of these at its beginning. */
export function bareSubject(subject: string): string {
  let bare = subject;
  while (reply.test(bare) || forward.test(bare)) bare = bare.replace(reply, "").replace(forward, "");
  return bare.trim();
}

/** The subject of an answer, with one `Re:`. */
export function replySubject(subject: string): string {
  let bare = subject;
  while (reply.test(bare)) bare = bare.replace(reply, "");
  return `Re: ${bare.trim() || "your mail"}`;
}
