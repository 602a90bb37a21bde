import { one } from "./slot.ts";

/** How a conversation in a terminal looks. */
export interface TerminalLook {
  /** `auto`: as the terminal says what its background is, else dark; `none`: no colours. */
  readonly theme: "auto" | "dark" | "light" | "none";
  /** Whether a line about the conversation stands behind each answer. */
  readonly statusLine: boolean;
}
export const TerminalLook = one<TerminalLook>("terminal-look");
