import type { Subshell, SyntaxNode } from "unbash";
import type { Findings } from "./findings.ts";
import { argOf, assignmentOf, baseName, begun, known } from "./words.ts";

const SHELL = /^(ba|da|a|z|k|mk|rba)?sh$/;
const ARITHMETIC_TESTS = /^-(eq|ne|lt|le|gt|ge|v|R)$/;
/** A character without which no text opens an expansion. */
const OPENS = /[$`(]/;
const OPENS_EXPANSION = /(?<!\\)(\\\\)*(\$[[({]|\$\\\n|`)/;
/**
 * Beside a substitution in arithmetic: quotes, lines, comments and process substitutions, of which
 * readers and bash think differently.
 */
const ENTANGLED = /['"\\`\n]|(?<!\$\{)#|[<>]\(/;
/** Subscripts that all read alike. */
const PLAIN_SUBSCRIPT =
  /^(?:[@*]|[\w$+*/ -]+|"?\$\{\w+\}"?|"[^"`$\\]*"|'[^']*'|"\$\w+"|\$\(\([\w+*/% -]+\)\))$/;
/** A number in another base, which the parser leaves unread. */
const PLAIN_NUMBERS = /^(?:\$\(\((?:[\w +*%-]|(?<=\d)#|\$(?=\w))+\)\)|(?:[\w +*%-]|(?<=\d)#|\$(?=\w))+)$/;
export const HIDDEN_SUBSTITUTION = /\$\(|`|\$\{|[<>]\(/;

/** The place of a node. */
export interface Place {
  parent: SyntaxNode | undefined;
  inDouble: boolean;
}
type NodeOf<Type extends SyntaxNode["type"]> = Extract<SyntaxNode, { readonly type: Type }>;
/**
 * Tells what one node does, itself and not its children; a text says why what lies beneath it
 * cannot be read.
 */
type Visitor<Type extends SyntaxNode["type"]> = (
  node: NodeOf<Type>,
  found: Findings,
  place: Place,
) => string | undefined | void;

/** Kinds of nodes that are not listed do nothing themselves. */
const visitors: { readonly [Type in SyntaxNode["type"]]?: Visitor<Type> } = {
  Script: ({ errors }) => (errors?.length ? (errors[0]?.message ?? "syntax") : undefined),
  Command({ name, suffix }, found) {
    if (!name) return;
    const argv = [argOf(name)];
    for (const arg of suffix) {
      if (arg.type === "Word") argv.push(argOf(arg));
      else if (arg.type === "Assignment") argv.push(assignmentOf(arg));
    }
    found.run(argv);
  },
  HereDoc({ body }, found, { parent }) {
    if (namesShell(parent)) found.script(begun("", body.text));
  },
  HereString({ target }, found, { parent }) {
    if (target && namesShell(parent)) found.script(begun("", argOf(target).guess));
  },
  Assignment(node, found, { parent }) {
    if (!splitsOneLine(node, parent)) found.variable(begun(`${node.name}=`, node.text));
    return visitSubscript(node, found);
  },
  Coproc(node, found) {
    // Bash reads `coproc x=(…)` as something else than an assignment.
    if (node.body.type === "Command" && !node.body.name && node.body.prefix.length > 0)
      return "coproc of an assignment";
    if (node.name) found.variable(argOf(node.name));
    return undefined;
  },
  For: visitLoopName,
  Select: visitLoopName,
  FileDescriptorVariable: ({ name }, found) => found.variable(known(name)),
  Redirect({ target, operator }, found) {
    const isDescriptor = target && operator.endsWith("&") && /^\d*-?$/.test(target.value);
    if (target && !isDescriptor) found.file(argOf(target));
  },
  Subshell: (node) => (opensTwice(node) ? "`((` that may open arithmetic or two subshells" : undefined),
  CommandExpansion({ text, script }) {
    if (text.startsWith("$((")) return "`$((` that may open arithmetic or a subshell";
    return script ? undefined : text;
  },
  ProcessSubstitution: ({ text, script }) => (script ? undefined : text),
  ArithmeticExpansion: ({ text, expression }, found) => visitArithmetic(text, expression, found),
  ArithmeticCommand: ({ body, expression }, found) => visitArithmetic(body, expression, found),
  ArithmeticFor: (_, found) => found.arithmetic(),
  ArithmeticWord({ value, parts }, found) {
    found.variable(known(value));
    if (!parts) found.literal(value);
  },
  ParameterExpansion(node, found) {
    const { operation, prefix, parameter } = node;
    const fault = visitSubscript(node, found);
    if (fault !== undefined) return fault;
    if (operation?.type === "Slice" || prefix === "!") found.arithmetic();
    if (operation?.type === "Default" && operation.operator.includes("=")) found.variable(known(parameter));
    return undefined;
  },
  Transform({ operand }, found) {
    if (operand.value.includes("P")) found.ask("@P runs what a variable holds");
  },
  // Without extglob bash reads such a pattern there as a fault, and goes on behind it in its own
  // way.
  ArrayValue: ({ elements }) =>
    elements.some((element) => /[?*+@!]\(/.test(element.text)) ? "a pattern in an array" : undefined,
  Unknown: () => "an expansion that bash does not have",
  TestUnary: visitTest,
  TestBinary: visitTest,
  Word: visitText,
  Literal: visitText,
  SingleQuoted: visitQuoted,
  AnsiCQuoted: visitQuoted,
};

/** Tells what one node does, itself and not its children; false: do not go on beneath it. */
export function findIn(node: SyntaxNode, place: Place, found: Findings): boolean {
  const visitor = visitors[node.type] as Visitor<SyntaxNode["type"]> | undefined;
  const fault = visitor?.(node, found, place);
  if (fault === undefined) return true;
  found.unreadable(fault);
  return false;
}

/** `IFS= read` splits that one line and ends there. */
function splitsOneLine({ name }: NodeOf<"Assignment">, parent: SyntaxNode | undefined): boolean {
  const command = parent?.type === "Command" ? parent.name : undefined;
  return name === "IFS" && command?.value === "read" && !command.parts;
}

function visitSubscript(
  { index, text }: { readonly index?: { readonly text: string } | undefined; readonly text: string },
  found: Findings,
): string | undefined {
  if (!index) return undefined;
  if (!PLAIN_SUBSCRIPT.test(index.text)) return text;
  found.arithmetic();
  return undefined;
}

function visitLoopName({ name }: NodeOf<"For" | "Select">, found: Findings): void {
  if (name) found.variable(argOf(name));
}

function visitArithmetic(text: string, expression: unknown, found: Findings): string | undefined {
  const isPlain = PLAIN_NUMBERS.test(text);
  const isUnread = !isPlain && !expression && /[^\s$()[\]]/.test(text);
  const isEntangled = !isPlain && HIDDEN_SUBSTITUTION.test(text) && ENTANGLED.test(text);
  if (isUnread || isEntangled || !isBalanced(text)) return text;
  found.arithmetic();
  return undefined;
}

function visitTest({ operator }: NodeOf<"TestUnary" | "TestBinary">, found: Findings): void {
  if (ARITHMETIC_TESTS.test(operator)) found.arithmetic();
}

function visitText(node: NodeOf<"Word" | "Literal">, found: Findings): string | undefined {
  if ("parts" in node && node.parts) return undefined;
  // An expansion that was left as text was not understood; bash may see one there.
  if (!OPENS.test(node.text)) return undefined;
  if (OPENS_EXPANSION.test(node.text)) return node.text;
  found.literal(node.value);
  return undefined;
}

function visitQuoted(
  { type, text, value }: NodeOf<"SingleQuoted" | "AnsiCQuoted">,
  found: Findings,
  { inDouble }: Place,
): string | undefined {
  // Inside double quotes and here-documents bash takes such quotes for text in some places.
  if (inDouble && HIDDEN_SUBSTITUTION.test(text)) return text;
  // bash keeps a line that ends in a backslash there as two characters; not every reader does.
  if (type === "AnsiCQuoted" && text.includes("\\\n")) return text;
  found.literal(value);
  return undefined;
}

/**
 * Returns false if a parenthesis stands alone, whatever surrounds it: bash may end the arithmetic
 * elsewhere, or take it for subshells.
 */
function isBalanced(text: string): boolean {
  let open = 0;
  for (const char of text) {
    if (char === "(") open++;
    else if (char === ")" && --open < 0) return false;
  }
  return open === 0;
}

/**
 * True for `((`: bash looks for its end as that of arithmetic first, where quotes mean something
 * else.
 */
function opensTwice({ pos, body }: Subshell): boolean {
  let first: SyntaxNode | undefined = body.commands[0];
  while (first?.type === "Statement" || first?.type === "Pipeline" || first?.type === "AndOr")
    first = first.type === "Statement" ? first.command : first.commands[0];
  return first?.type === "Subshell" && first.pos === pos + 1;
}

/** True for a command that has a shell among its words. */
function namesShell(command: SyntaxNode | undefined): boolean {
  if (command?.type !== "Command") return false;
  const { name, args } = command;
  return [name, ...args].some((word) => word?.type === "Word" && SHELL.test(baseName(word.value)));
}
