const marks = /(^|[^\p{L}\p{N}])([*_~`])(\S(?:.*?\S)?)\2(?![\p{L}\p{N}])/gu;

/**
 * Returns what a person reads of a message: in a block of code every character, elsewhere no marks.
 */
export function shownText(body: string): string {
  const [, code] = /^```\n([^]*)\n```$/.exec(body) ?? [];
  if (code !== undefined && !code.includes("```")) return code.replaceAll("\u2060", "");
  return body.replace(marks, "$1$3");
}

const form = /(?<![\p{L}\p{N}])([*_~])(?![\s\u2060])([^\n]*?\S)\1(?![\p{L}\p{N}\u2060])/u;

/**
 * The words of an answer in the platform's forms, which are taken out; of a link its address too.
 */
export function readAnswer(body: string): string {
  const words = body.split(/(```\n[^]*?\n```|(?<![\p{L}\p{N}])`[^`\n\u2060]+`)/u).map((piece, i) => {
    if (i % 2 === 1) return piece.startsWith("```") ? piece.slice(4, -4) : piece.slice(1, -1);
    let text = piece.replace(/^> /gm, "").replace(/ \(https?:\/\/[^\s)]+\)/g, "");
    while (form.test(text)) text = text.replace(form, "$2");
    return text;
  });
  return words.join("").replaceAll("\u2060", "");
}
