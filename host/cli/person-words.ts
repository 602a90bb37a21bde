/** What a word answers to a question; anything but a clear yes is a no. */
export function decisionOf(word: string): "allow" | "always" | "deny" {
  if (isWordFor("always", word) || isWordFor("this", word)) return "always";
  return isWordFor("yes", word) ? "allow" : "deny";
}

/** The word itself or its first letter. */
export function isWordFor(whole: string, word: string): boolean {
  return word === whole || word === whole[0];
}

/** True for words behind a slash. */
export function isCommand(line: string): boolean {
  return /^\s*\/[a-z]/i.test(line);
}
