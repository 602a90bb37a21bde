/**
 * Returns an address, or a provider id that holds one, as it may be printed: without user, password
 * and query. A wrong one may hold them anywhere, so there everything between the first colon and
 * the last `@` goes.
 */
export function shownAddress(text: string): string {
  const address = text.replace(/^[a-z0-9][a-z0-9._-]*:(?=[a-z]+:\/\/)/i, "");
  const isWhole = /^[a-z]+:\/\//i.test(address) && URL.canParse(address);
  return text
    .replace(isWhole ? /(?<=:\/\/)[^/@\s]*@/ : /(?<=:|\/\/)\S*@/, "***@")
    .replace(/((?::\/\/|@)[^\s?]*)\?.*/s, "$1?***");
}
