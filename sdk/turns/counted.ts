/** Returns a number with what it counts: `1 byte`, `2 bytes`. */
export function counted(count: number, thing: string, things: string = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`;
}
