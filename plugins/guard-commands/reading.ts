import type { SyntaxNode } from "unbash";
import { lookThrough } from "./programs/look-through.ts";
import type { Findings } from "./syntax/findings.ts";
import { plainCommands } from "./syntax/plain.ts";
import { steers } from "./syntax/variables.ts";
import { findIn, HIDDEN_SUBSTITUTION } from "./syntax/visitors.ts";
import { baseName, shown, type Arg } from "./syntax/words.ts";

/** All that a shell text runs, as far as the text tells. */
export interface Reading {
  readonly commands: (readonly Arg[])[];
  /** Those of them that are fed what another one writes. */
  readonly fed: Set<readonly Arg[]>;
  /** Targets of redirections, and files that the texts of programs name, as `r` of sed. */
  readonly files: Arg[];
  /** Why it cannot be read with certainty. */
  readonly unreadable: Set<string>;
  /** Variables it sets that change what runs. */
  readonly steered: Set<string>;
  /** What is known only at run time. */
  readonly uncertain: Set<string>;
  /** The words of each command, if the text is nothing but commands of literal words. */
  plain?: readonly (readonly string[])[] | undefined;
}

/** unbash, or what speaks like it. */
export interface Grammar {
  parse(source: string): SyntaxNode;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

const LIMITS = { characters: 65_536, nested: 12, documents: 256, wrapped: 32, commands: 1_000 };
const SYSTEM_FOLDERS = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;
const DOUBLE = new Set(["DoubleQuoted", "LocaleString", "HereDocBody"]);
// Words that other POSIX shells read in another way than bash.
const BASH_ONLY = new Set(
  (
    "TestCommand ArithmeticCommand ArithmeticFor Select Coproc ProcessSubstitution HereString AnsiCQuoted LocaleString ArrayValue ExtendedGlob " +
    "FileDescriptorVariable"
  ).split(" "),
);

/** Walks the whole tree, and the texts that commands in it hand to shells. Never throws for what the text says. */
export function readShell(source: string, grammar: Grammar): Reading {
  const reading: Reading = {
    commands: [],
    fed: new Set(),
    files: [],
    unreadable: new Set(),
    steered: new Set(),
    uncertain: new Set(),
  };
  const seen = { arithmetic: false, hidden: false };
  let behindPipe = false;

  const unreadable = (why: string) => void reading.unreadable.add(shown(why));
  const walk = (text: string, shell: "bash" | "sh", depth: number): void => {
    const documents = text.split("<<").length;
    if (depth > LIMITS.nested || text.length > LIMITS.characters || documents > LIMITS.documents)
      return unreadable("it is too long or too deeply nested");
    if (text.includes("\0") || !text.isWellFormed())
      return unreadable("it holds characters that no shell can be given");
    const findings: Findings = {
      unreadable,
      ask: (why) => void reading.uncertain.add(why),
      arithmetic: () => void (seen.arithmetic = true),
      literal: (value) => void (seen.hidden ||= HIDDEN_SUBSTITUTION.test(value) || endsInSubscript(value)),
      file: (target) => void reading.files.push(target),
      variable(arg) {
        const [name = ""] = /^[A-Za-z_]\w*/.exec(arg.text) ?? [];
        if (steers(name)) reading.steered.add(name);
        else if (!arg.whole && name === arg.text)
          findings.ask(`it sets a variable whose name is known only at run time, \`${shown(arg.guess)}\``);
        if (arg.text.includes("[")) seen.arithmetic = true;
      },
      script(inner, as) {
        if (!inner.whole)
          findings.ask(`a shell runs \`${shown(inner.guess)}\`, which is known only at run time`);
        walk(inner.guess, as === "sh" || shell === "sh" ? "sh" : "bash", depth + 1);
      },
      run(argv) {
        const [head, ...args] = argv;
        if (!head) return;
        if (reading.commands.length >= LIMITS.commands || wrapped >= LIMITS.wrapped)
          return unreadable("it runs too many commands");
        reading.commands.push(argv);
        if (behindPipe) reading.fed.add(argv);
        if (!head.whole)
          return findings.ask(`the command word \`${shown(head.guess)}\` is known only at run time`);
        if (head.text.includes("/") && !SYSTEM_FOLDERS.test(head.text))
          findings.ask(`it runs the file \`${shown(head.text)}\``);
        wrapped++;
        lookThrough(baseName(head.text), args, findings);
        wrapped--;
      },
    };
    let wrapped = 0;
    let inDouble = false;
    const visit = (node: SyntaxNode, parent?: SyntaxNode): void => {
      if (shell === "sh" && BASH_ONLY.has(node.type))
        findings.ask("bash's own words stand in a text for another shell");
      if (!findIn(node, { parent, inDouble }, findings)) return;
      const before = { inDouble, behindPipe };
      inDouble = DOUBLE.has(node.type) || (inDouble && node.type !== "Script");
      grammar.forEachChild(node, (child) => {
        behindPipe = before.behindPipe || (node.type === "Pipeline" && node.commands[0] !== child);
        visit(child, node);
      });
      ({ inDouble, behindPipe } = before);
    };
    try {
      const tree = grammar.parse(text);
      if (depth === 0) reading.plain = plainCommands(text, tree);
      visit(tree);
    } catch (error) {
      unreadable(`the parser gave up: ${(error as Error).message}`);
    }
  };

  walk(source, "bash", 0);
  // Arithmetic runs substitutions that stand in the text of a variable: a='x[$(id)]'; ((a)).
  if (seen.arithmetic && seen.hidden)
    reading.uncertain.add("arithmetic may run a substitution that stands in quoted text");
  return reading;
}

/** Part of a subscript whose substitution is put together later. */
function endsInSubscript(value: string): boolean {
  return /[$`]$/.test(value) && value.lastIndexOf("[") > value.lastIndexOf("]");
}
