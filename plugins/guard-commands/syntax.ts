import type { Command, Subshell, SyntaxNode } from "unbash";
import type { Report } from "./report.ts";
import { argOf, assignmentOf, baseName, begun, known, type Arg } from "./words.ts";

/** What the nodes of one shell text give rise to. */
export interface Findings extends Report {
  /** It cannot be read with certainty; what lies beneath the node is left alone. */
  unreadable(why: string): void;
  /** Text that no expansion touches. */
  literal(text: string): void;
  /** The target of a redirection. */
  file(target: Arg): void;
}

const SHELL = /^(ba|da|a|z|k|mk|rba)?sh$/;
const ARITHMETIC_TESTS = /^-(eq|ne|lt|le|gt|ge|v|R)$/;
const OPENS_EXPANSION = /(?<!\\)(\\\\)*(\$[[({]|\$\\\n|`)/;
/** Beside a substitution in arithmetic: quotes, lines, comments and process substitutions, of which readers and bash think differently. */
const ENTANGLED = /['"\\`\n]|(?<!\$\{)#|[<>]\(/;
/** Subscripts that all read alike. */
const PLAIN_SUBSCRIPT =
  /^(?:[@*]|[\w$+*/ -]+|"?\$\{\w+\}"?|"[^"`$\\]*"|'[^']*'|"\$\w+"|\$\(\([\w+*/% -]+\)\))$/;
/** A number in another base, which the parser leaves unread. */
const PLAIN_NUMBERS = /^(?:\$\(\((?:[\w +*%-]|(?<=\d)#|\$(?=\w))+\)\)|(?:[\w +*%-]|(?<=\d)#|\$(?=\w))+)$/;
export const HIDDEN_SUBSTITUTION = /\$\(|`|\$\{|[<>]\(/;

/** Tells what one node does, itself and not its children; false: do not go on beneath it. */
export function findIn(
  node: SyntaxNode,
  parent: SyntaxNode | undefined,
  inDouble: boolean,
  found: Findings,
): boolean {
  const unreadable = (why: string): false => {
    found.unreadable(why);
    return false;
  };
  switch (node.type) {
    case "Script":
      return node.errors?.length ? unreadable(node.errors[0]?.message ?? "syntax") : true;
    case "Command":
      if (node.name)
        found.run([
          argOf(node.name),
          ...node.args.map((arg) => (arg.type === "Word" ? argOf(arg) : assignmentOf(arg))),
        ]);
      for (const text of fedTo(node)) found.script(text, "sh");
      return true;
    case "Assignment":
      // `IFS= read` splits that one line and ends there.
      if (
        !(
          node.name === "IFS" &&
          parent?.type === "Command" &&
          parent.name?.value === "read" &&
          !parent.name.parts
        )
      )
        found.variable(begun(`${node.name}=`, node.text));
      if (node.index && !PLAIN_SUBSCRIPT.test(node.index.text)) return unreadable(node.text);
      if (node.index) found.arithmetic();
      return true;
    case "Coproc":
      // Of `coproc x=(…)` bash makes something else than an assignment.
      if (node.body.type === "Command" && !node.body.name && node.body.prefix.length > 0)
        return unreadable("coproc of an assignment");
      if (node.name) found.variable(argOf(node.name));
      return true;
    case "For":
    case "Select":
      if (node.name) found.variable(argOf(node.name));
      return true;
    case "FileDescriptorVariable":
      found.variable(known(node.name));
      return true;
    case "Redirect":
      if (node.target && !(node.operator.endsWith("&") && /^\d*-?$/.test(node.target.value)))
        found.file(argOf(node.target));
      return true;
    case "Subshell":
      return opensTwice(node) ? unreadable("`((` that may open arithmetic or two subshells") : true;
    case "CommandExpansion":
      if (node.text.startsWith("$((")) return unreadable("`$((` that may open arithmetic or a subshell");
      return node.script ? true : unreadable(node.text);
    case "ProcessSubstitution":
      return node.script ? true : unreadable(node.text);
    case "ArithmeticExpansion":
    case "ArithmeticCommand": {
      const text = node.type === "ArithmeticCommand" ? node.body : node.text;
      const plain = PLAIN_NUMBERS.test(text);
      if (!plain && !node.expression && /[^\s$()[\]]/.test(text)) return unreadable(text);
      if (!plain && HIDDEN_SUBSTITUTION.test(text) && ENTANGLED.test(text)) return unreadable(text);
      if (!isBalanced(text)) return unreadable(text);
      found.arithmetic();
      return true;
    }
    case "ArithmeticFor":
      found.arithmetic();
      return true;
    case "ArithmeticWord":
      found.variable(known(node.value));
      if (!node.parts) found.literal(node.value);
      return true;
    case "ParameterExpansion":
      if (node.index && !PLAIN_SUBSCRIPT.test(node.index.text)) return unreadable(node.text);
      if (node.index || node.operation?.type === "Slice" || node.prefix === "!") found.arithmetic();
      if (node.operation?.type === "Default" && node.operation.operator.includes("="))
        found.variable(known(node.parameter));
      return true;
    case "Transform":
      if (node.operand.value.includes("P")) found.ask("@P runs what a variable holds");
      return true;
    case "ArrayValue":
      // Without extglob bash reads such a pattern there as a fault, and goes on behind it in its own way.
      if (node.elements.some((element) => /[?*+@!]\(/.test(element.text)))
        return unreadable("a pattern in an array");
      return true;
    case "Unknown":
      return unreadable("an expansion that bash does not have");
    case "TestUnary":
    case "TestBinary":
      if (ARITHMETIC_TESTS.test(node.operator)) found.arithmetic();
      return true;
    case "Word":
    case "Literal":
      if ("parts" in node && node.parts) return true;
      // An expansion that was left as text was not understood; bash may see one there.
      if (OPENS_EXPANSION.test(node.text)) return unreadable(node.text);
      found.literal(node.value);
      return true;
    case "SingleQuoted":
    case "AnsiCQuoted":
      // Inside double quotes and here-documents bash takes such quotes for text in some places.
      if (inDouble && HIDDEN_SUBSTITUTION.test(node.text)) return unreadable(node.text);
      // bash keeps a line that ends in a backslash there as two characters; not every reader does.
      if (node.type === "AnsiCQuoted" && node.text.includes("\\\n")) return unreadable(node.text);
      found.literal(node.value);
      return true;
    default:
      return true;
  }
}

/** False where a parenthesis stands alone, in whatever it stands: bash may end the arithmetic elsewhere, or take it for subshells. */
function isBalanced(text: string): boolean {
  let open = 0;
  for (const char of text) {
    if (char === "(") open++;
    else if (char === ")" && --open < 0) return false;
  }
  return open === 0;
}

/** True for `((`: bash looks for its end as that of arithmetic first, where quotes mean something else. */
function opensTwice({ pos, body }: Subshell): boolean {
  let first: SyntaxNode | undefined = body.commands[0];
  while (first?.type === "Statement" || first?.type === "Pipeline" || first?.type === "AndOr")
    first = first.type === "Statement" ? first.command : first.commands[0];
  return first?.type === "Subshell" && first.pos === pos + 1;
}

/** Here-documents and here-strings of a command that has a shell among its words. */
function fedTo({ name, args, redirects }: Command): Arg[] {
  const words = [name, ...args].filter((word) => word?.type === "Word");
  if (!words.some((word) => SHELL.test(baseName(word.value)))) return [];
  return redirects.flatMap((redirect) => {
    if (redirect.type === "HereDoc") return [begun("", redirect.body.text)];
    return redirect.type === "HereString" && redirect.target ? [begun("", argOf(redirect.target).guess)] : [];
  });
}
