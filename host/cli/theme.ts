import type { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** The kinds of text that are coloured. */
export type Tint = "code" | "quiet" | "added" | "removed" | "place";

const dark: Readonly<Record<Tint, Format>> = {
  code: "cyan",
  quiet: "gray",
  added: "green",
  removed: "red",
  place: "cyan",
};
/** Cyan is hardly seen on white. */
const light: Readonly<Record<Tint, Format>> = { ...dark, code: "blue", place: "magenta" };

let tints: Readonly<Partial<Record<Tint, Format>>> = dark;

/**
 * Has all that is written from now on use the colours of this theme: `auto`, `dark`, `light` or
 * `none`.
 */
export function useTheme(theme: unknown, env: NodeJS.ProcessEnv = process.env): void {
  const isLight = theme === "light" || (theme !== "dark" && isLightBackground(env["COLORFGBG"]));
  tints = theme === "none" ? {} : isLight ? light : dark;
}

/** Returns the colour of a thing; `[]`, which changes nothing, in a theme without colours. */
export function tint(of: Tint): Format {
  return tints[of] ?? [];
}

/**
 * Reads `COLORFGBG`, in which some terminals say their colours, as in `0;15`: 7 and 15 are white.
 */
function isLightBackground(colours: string = ""): boolean {
  return /;(?:7|15)$/.test(colours);
}
