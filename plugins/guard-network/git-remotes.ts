import type { ShellWord } from "@gantry/sdk";
import { addressIn } from "./address-in.ts";

/** Before the operands of fetch, pull and push: options that are one word and lead nowhere. */
const ALONE = new RegExp(
  "^(-[qvfntp]+|--(quiet|verbose|force|force-with-lease|tags|no-tags|prune|dry-run|ff-only|rebase|no-rebase|" +
    "heads|depth=\\d+))$",
);
/** Parts of git that reach out as the settings of the repository say. */
const BY_SETTINGS = /^(lfs|fetch-pack|send-pack|http-fetch|http-push|imap-send|request-pull)$/;

/**
 * Returns true if git reaches out to a place that its words do not give in full: a remote by its
 * name, or `host:path`.
 */
export function gitLeadsOut(args: readonly ShellWord[]): boolean {
  let at = 0;
  while (args[at]?.text.startsWith("-"))
    at += /^(-[Cc]|--(git-dir|work-tree|namespace))$/.test(args[at]!.text) ? 2 : 1;
  const [{ text: subcommand } = { text: "" }, ...rest] = args.slice(at);
  const words = rest.map(({ text }) => text);
  if (subcommand === "clone")
    return rest.some(
      (word) =>
        word.text.startsWith("--recurs") || !(isSaid(word) || (word.whole && !word.text.includes(":"))),
    );
  if (/^(fetch|pull|push|ls-remote)$/.test(subcommand)) {
    const remote = rest.find(({ text }) => !ALONE.test(text));
    return !remote || !isSaid(remote);
  }
  if (subcommand === "remote")
    return (
      /^(update|show|prune|set-head)$/.test(words.find((word) => !word.startsWith("-")) ?? "") ||
      words.some((word) => /^(-\w*f|--fetch$)/.test(word))
    );
  if (subcommand === "archive") return words.some((word) => word.startsWith("--rem"));
  return BY_SETTINGS.test(subcommand);
}

/** A place on this machine by its path, or an address in full, which is checked as such. */
function isSaid(word: ShellWord): boolean {
  return (word.whole && /^\.{0,2}\//.test(word.text)) || addressIn(word).length > 0;
}
