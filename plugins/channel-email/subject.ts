/** Prefixes of the usual programs to the subject of a reply and of a mail that is passed on. */
const reply =
  /^\s*(?:re|aw|sv|antw|odp|odg|одг|rif|res|r|ynt|bls|atb|vá|απ|σχετ|отв|ответ|رد|תגובה|השב|回复|回覆|答复|返信|회신|답장)\s*(?:(?:\[\d{1,3}\]|\(\d{1,3}\))\s*)?[:：]\s*/iu;
/** `VS` passes on in Danish and answers in Finnish. */
const forward =
  /^\s*(?:fwd?|wg|tr|trs|rv|i|vb|vs|vl|fs|pd|enc|[iİ]lt|yml|πρθ|пр|пересл|doorst|továbbítás|przek|إعادة توجيه|הועבר|转发|轉寄|轉發|転送|전달|ส่งต่อ|chuyển tiếp)\s*[:：]\s*/iu;
/** Forms that old programs write instead: `[Fwd: Plans]`, `Plans (fwd)`. */
const forwardAround = /^\s*\[\s*fwd?\s*:|\(fwd?\)\s*\]?\s*$/i;
/** A tag that mail servers put in front: `[EXTERNAL]`. */
const tag = /^\s*\[[^\]:]{1,30}\]\s*/;
/** Any word and a colon, as all of them are. */
const prefix = /^\s*\p{L}[\p{L}\p{M}]{0,15}\s?[:：]/u;

export function isReply(subject: string): boolean {
  return reply.test(subject.replace(tag, ""));
}

/** Returns true for the subject of a mail that passes on another, but not of a reply to it. */
export function isForward(subject: string): boolean {
  const bare = subject.replace(tag, "");
  return forward.test(bare) || (!reply.test(bare) && forwardAround.test(bare));
}

/** Returns true if the subject may be another mail's, with a program's word before it. */
export function hasPrefix(subject: string): boolean {
  return prefix.test(subject.replace(tag, ""));
}

/** Returns the subject without any of these at its beginning. */
export function bareSubject(subject: string): string {
  let bare = subject;
  while (reply.test(bare) || forward.test(bare)) bare = bare.replace(reply, "").replace(forward, "");
  return bare.trim();
}

/** Returns the subject of an answer, with one `Re:`. */
export function replySubject(subject: string): string {
  let bare = subject;
  while (reply.test(bare)) bare = bare.replace(reply, "");
  return `Re: ${bare.trim() || "your mail"}`;
}
