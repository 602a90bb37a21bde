const marks = /(^|[^\p{L}\p{N}])([*_~`])(\S(?:.*?\S)?)\2(?![\p{L}\p{N}])/gu;

/** What a person reads of a message: in a block of code every sign, elsewhere no marks of the platform. */
export function shownText(body: string): string {
  const [, code] = /^```\n([^]*)\n```$/.exec(body) ?? [];
  if (code !== undefined && !code.includes("```")) return code.replaceAll("\u2060", "");
  return body.replace(marks, "$1$3");
}
