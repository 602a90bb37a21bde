const MAX_LENGTH = 4_000;

/** One scope as RFC 6749 3.3 has it. */
const scope = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Returns the scopes that a person can be shown, as far as there is room; undefined if none is. */
export function plainScopes(text: string | undefined): string | undefined {
  let plain = "";
  for (const one of scopesIn(text)) {
    if (plain.length + one.length > MAX_LENGTH) break;
    if (scope.test(one)) plain += plain === "" ? one : ` ${one}`;
  }
  return plain === "" ? undefined : plain;
}

/** Returns the scopes of a text, each once. */
export function scopesIn(text: string | undefined): readonly string[] {
  return [...new Set((text ?? "").split(" ").filter((one) => one !== ""))];
}
