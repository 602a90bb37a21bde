const STARTS = /\bsystem\b|@\s*\w|(?<!\|)\|(?!\|)|\\\n/;
const OPENS = /\bgetline\b|\bARG[CV]\b|\bprintf?\b[^;}\n]*>/;
const WORDS_BEFORE_REGEX = /(?:\b[a-z]+|\+\+|--|\)|\$)$/;

/** True where an awk program starts programs, or may, where it cannot be told what is text in it. */
export function startsPrograms(program: string): boolean {
  return STARTS.test(withoutTexts(program) ?? program);
}

/** True where an awk program reads or writes files beside its operands, whose names may be put together by it. */
export function opensFiles(program: string): boolean {
  return OPENS.test(withoutTexts(program) ?? program);
}

/** The program without its strings, regular expressions and comments; undefined where a `/` may be a division or not. */
function withoutTexts(program: string): string | undefined {
  let code = "";
  for (let at = 0; at < program.length;) {
    const char = program[at] as string;
    if (char === '"' || (char === "/" && opensRegex(code) === true)) {
      const end = endOf(program, at);
      if (end === undefined) return undefined;
      code += '""';
      at = end;
    } else if (char === "#") {
      const end = program.indexOf("\n", at);
      at = end < 0 ? program.length : end;
    } else {
      if (char === "/" && opensRegex(code) === undefined) return undefined;
      code += char;
      at++;
    }
  }
  return code;
}

/** By what stands before it, a `/` opens a regular expression or divides; undefined where it can be either. */
function opensRegex(code: string): boolean | undefined {
  const before = code.trimEnd();
  if (WORDS_BEFORE_REGEX.test(before)) return undefined;
  return !/[\w\]".]$/.test(before) || (before !== code && /\n/.test(code.slice(before.length)));
}

/** True behind a bracket that is open; a closing one that comes first in it stands for itself. */
function endsInBracket(expression: string): boolean {
  const closed = expression.lastIndexOf("]");
  return expression.includes("[", closed + 1) || /\[\^?\]$/.test(expression.slice(0, closed + 1));
}

/** Behind the quote or slash that closes what opens at `from`. */
function endOf(program: string, from: number): number | undefined {
  const close = program[from] as string;
  for (let at = from + 1; at < program.length; at++) {
    const char = program[at];
    if (char === "\\") at++;
    else if (char === close) {
      // awks differ on whether a bracket hides the slash.
      const hidden = close === "/" && endsInBracket(program.slice(from + 1, at).replace(/\\[^]/g, ""));
      return hidden ? undefined : at + 1;
    } else if (char === "\n") return undefined;
  }
  return undefined;
}
