import { userInfo } from "node:os";

/** Returns `cli:<user>` for whoever sits at this terminal. */
export function userOfTerminal(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return `cli:${process.getuid?.() ?? "user"}`;
  }
}
