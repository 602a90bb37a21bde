/** Returns the first word; `help` for a line that asks for the list of all. */
export function wordIn([first = "help"]: readonly string[]): string {
  return first.startsWith("-") ? "help" : first;
}

/** The folder after -C, for the words of plugins: they are known only once the host has started there. */
export function workspaceIn(argv: readonly string[]): string | undefined {
  const at = argv.indexOf("-C");
  return at === -1 ? undefined : argv[at + 1];
}
