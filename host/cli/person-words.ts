/** What a word answers to a question; anything but a clear yes is a no. */
export function decisionOf(word: string): "allow" | "always" | "deny" {
  if (isWordFor("always", word) || isWordFor("this", word)) return "always";
  return isWordFor("yes", word) ? "allow" : "deny";
}

/** The word itself or its first letter, in letters of either case. */
export function isWordFor(whole: string, word: string): boolean {
  return [whole, whole[0]].includes(word.toLowerCase());
}

/** True for a word behind a slash; a path such as `/etc/hosts` is none. */
export function isCommand(line: string): boolean {
  return /^\s*\/[a-z][a-z0-9-]*(?:@\w+)?(?:\s|$)/i.test(line);
}
