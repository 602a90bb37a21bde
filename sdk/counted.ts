/** A number with what it counts: `1 byte`, `2 bytes`. `thing` is a word whose plural ends in s. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
