/**
 * NODE_OPTIONS of a process whose clock goes by so many milliseconds as a file says: the time of
 * day jumps, what passes between two moments does not.
 */
export function clockOf(file: string): string {
  const code = `
import { readFileSync } from "node:fs";
const real = Date.now;
let offset = 0;
setInterval(() => { try { offset = Number(readFileSync(${JSON.stringify(file)}, "utf8")); } catch {} }, 20).unref();
Date.now = () => real() + offset;
`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}
