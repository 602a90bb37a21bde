const references = /<([^<>]*)>/g;

/** The app's own identity. */
export interface Me {
  readonly userId: string;
  readonly botId: string | undefined;
}

/** True if the text names the app itself. */
export function isNamed(text: string, { userId }: Pick<Me, "userId">): boolean {
  return new RegExp(`<@${userId}(?:\\|[^<>]*)?>`).test(text);
}

/**
 * Without the app's own name at the beginning, which is its address and no part of what is said.
 */
export function withoutName(text: string, { userId }: Pick<Me, "userId">): string {
  return text.trimStart().replace(new RegExp(`^<@${userId}(?:\\|[^<>]*)?>[\\s,:]*`), "");
}

/**
 * Returns Slack's text as people read it: names and addresses in place of references, and its three
 * escaped characters.
 */
export function readMrkdwn(text: string): string {
  return text
    .replace(references, (_, inner: string) => referenceOf(inner))
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}

/** https://docs.slack.dev/messaging/formatting-message-text */
function referenceOf(inner: string): string {
  const at = inner.indexOf("|");
  const target = at < 0 ? inner : inner.slice(0, at);
  const label = at < 0 ? "" : inner.slice(at + 1);
  if (target.startsWith("@")) return `@${label || target.slice(1)}`;
  if (target.startsWith("#")) return `#${label || target.slice(1)}`;
  if (target.startsWith("!")) return label || `@${target.slice(1).split("^")[0]}`;
  const bare = target.replace(/^(?:https?:\/\/|mailto:|tel:)/, "").replace(/\/$/, "");
  const says = label.replace(/^https?:\/\//, "").replace(/\/$/, "");
  if (says === bare) return label.includes("://") || !/^https?:/.test(target) ? label : target;
  return label === "" ? target : `${label} (${target})`;
}
