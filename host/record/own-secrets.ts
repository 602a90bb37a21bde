import { isSecret, type Redactor } from "@gantry/sdk/fill";

/** A stream without white space is cut anywhere after so many characters. */
export const maxWord = 256;
const mark = "[redacted secret]";
const password = /:\/\/[^\s/:@]*:([^\s/@]+)@/g;

/** The host's own redactor, which answers at once. */
export interface OwnSecrets extends Redactor {
  redact(text: string): string;
}

/** Returns what removes this process's own secrets, however they look; undefined if it has none. */
export function ownSecrets(parts: Iterable<unknown>, env: NodeJS.ProcessEnv): OwnSecrets | undefined {
  const found = new Set<string>();
  const add = (value: string, isOne: boolean): void => {
    // As it is, and behind the word that says what it is: `Bearer …`.
    if (isOne) found.add(value.trim()).add(value.trim().replace(/^\S+\s+/, ""));
    // Most values hold no address, and this looks at all of them at every start.
    if (!value.includes("://")) return;
    for (const [, inside = ""] of value.matchAll(password)) found.add(inside).add(decoded(inside));
  };
  const walk = (key: string, value: unknown): void => {
    if (typeof value === "string") add(value, isSecret(key));
    else if (Array.isArray(value)) for (const item of value) walk(key, item);
    else if (value !== null && typeof value === "object")
      for (const [name, item] of Object.entries(value)) walk(`${key}.${name}`, item);
  };
  for (const part of parts) walk("", part);
  for (const [name, value = ""] of Object.entries(env)) add(value, isSecret(name) && value.length >= 16);
  const secrets = [...new Set([...found].filter(isTelling).flatMap(formsOf))];
  if (secrets.length === 0) return undefined;
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(patternOf).join("|"), "g");
  const longest = longestFirst[0]?.length ?? 0;
  // Words of usual length are never cut in a stream, so only longer secrets hold back more.
  return {
    name: "host",
    holdBack: longest > maxWord ? longest : 0,
    redact: (text) => text.replace(pattern, mark),
  };
}

/** As it is, and as addresses and forms hold it. */
function formsOf(secret: string): readonly string[] {
  const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
  return [secret, encodeURIComponent(secret), inForm];
}

/** The hex digits behind a % may be of either case. */
function patternOf(form: string): string {
  return form
    .replace(/[^\w]/g, "\\$&")
    .replace(/\\%([0-9A-F]{2})/g, (_, hex: string) => `%(?:${hex}|${hex.toLowerCase()})`);
}

/** Returns false for what could be an ordinary word (`none`, `lm-studio`): it stays in place. */
function isTelling(secret: string): boolean {
  return /^\S+$/.test(secret) && (secret.length >= 20 || (secret.length >= 8 && /\d/.test(secret)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
