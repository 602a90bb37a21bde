import type { MailHead } from "./mail-head.ts";

/**
 * True if the mail server of this name says that the sender's domain vouches for the mail: `dmarc=pass` for just that
 * domain, in its topmost Authentication-Results (RFC 8601). What stands further down may have come with the mail.
 */
export function isVouchedFor(head: MailHead, authservId: string): boolean {
  const domain = head.from?.address.split("@")[1];
  const results = head.all("authentication-results").map(withoutComments);
  const topmost = results.map((text) => text.split(";")).find(([name = ""]) => nameOf(name) === authservId);
  if (topmost === undefined || domain === undefined) return false;
  return topmost.slice(1).some((result) => {
    if (!/^\s*dmarc\s*(?:\/\s*1\s*)?=\s*pass(?![\w-])/i.test(result)) return false;
    const [, named] = /\bheader\.from\s*=\s*"?([^\s"]+)/i.exec(result) ?? [];
    return named === undefined || named.toLowerCase().replace(/^.*@/, "") === domain;
  });
}

/** `mx.example.com 1` is the name and a version. */
function nameOf(text: string): string {
  return text.trim().split(/\s+/)[0]?.toLowerCase() ?? "";
}

/** Comments may be nested; in a quoted string nothing is one, and a semicolon there ends no result. */
function withoutComments(text: string): string {
  let out = "";
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i] as string;
    if (sign === "\\" && (isQuoted || depth > 0)) i += 1;
    else if (sign === '"' && depth === 0) isQuoted = !isQuoted;
    else if (!isQuoted && sign === "(") depth += 1;
    else if (!isQuoted && sign === ")" && depth > 0) depth -= 1;
    else if (depth === 0) out += isQuoted && /[;=]/.test(sign) ? " " : sign;
  }
  return out;
}
