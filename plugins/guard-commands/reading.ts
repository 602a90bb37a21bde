import type { SyntaxNode } from "unbash";
import { programNamed } from "./programs/look-through.ts";
import type { Findings } from "./syntax/findings.ts";
import { steers } from "./syntax/variables.ts";
import { findIn, HIDDEN_SUBSTITUTION, type Place } from "./syntax/visitors.ts";
import { baseName, PLAIN_WORD, shown, type Arg } from "./syntax/words.ts";

/** All that a shell text runs, as far as the text tells. */
export interface Reading {
  readonly commands: (readonly Arg[])[];
  /** Targets of redirections. */
  readonly files: Arg[];
  /** Why it cannot be read with certainty. */
  readonly unreadable: Set<string>;
  /** Variables it sets that change what runs. */
  readonly steered: Set<string>;
  /** The commands that bash itself knows only at run time. */
  readonly uncertain: Set<string>;
  /** The whole text, unless the parser gave up. */
  tree?: SyntaxNode;
}

/** unbash, or what speaks like it. */
export interface Grammar {
  parse(source: string): SyntaxNode;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

const LIMITS = { characters: 65_536, nested: 12, documents: 256, wrapped: 32, commands: 1_000 };
const DOUBLE = new Set(["DoubleQuoted", "LocaleString", "HereDocBody"]);

/**
 * Walks the whole tree, and the texts that commands in it hand to shells. Never throws for what the
 * text says.
 */
export function readShell(source: string, grammar: Grammar): Reading {
  return new ShellWalk(grammar).read(source);
}

/** One reading under way. */
class ShellWalk implements Findings {
  readonly #grammar: Grammar;
  readonly #reading: Reading = {
    commands: [],
    files: [],
    unreadable: new Set(),
    steered: new Set(),
    uncertain: new Set(),
  };
  readonly #place: Place = { parent: undefined, inDouble: false };
  #hasArithmetic = false;
  #hasHidden = false;
  #depth = 0;
  #wrapped = 0;

  constructor(grammar: Grammar) {
    this.#grammar = grammar;
  }

  read(source: string): Reading {
    const tree = this.#walk(source);
    if (tree) this.#reading.tree = tree;
    // Arithmetic runs substitutions that stand in the text of a variable: a='x[$(id)]'; ((a)).
    if (this.#hasArithmetic && this.#hasHidden)
      this.ask("arithmetic may run a substitution that stands in quoted text");
    return this.#reading;
  }

  run(argv: readonly Arg[]): void {
    const [head] = argv;
    if (!head) return;
    const { commands } = this.#reading;
    if (commands.length >= LIMITS.commands || this.#wrapped >= LIMITS.wrapped)
      return this.unreadable("it runs too many commands");
    commands.push(argv);
    const program = head.whole ? programNamed(baseName(head.text)) : undefined;
    if (!program) return;
    this.#wrapped++;
    program(argv.slice(1), this);
    this.#wrapped--;
  }

  script(text: Arg): void {
    const { parent, inDouble } = this.#place;
    this.#depth++;
    this.#walk(text.guess);
    this.#depth--;
    Object.assign(this.#place, { parent, inDouble });
  }

  variable({ text }: Arg): void {
    const [name = ""] = /^[A-Za-z_]\w*/.exec(text) ?? [];
    if (steers(name)) this.#reading.steered.add(name);
    if (text.includes("[")) this.arithmetic();
  }

  ask(why: string): void {
    this.#reading.uncertain.add(why);
  }

  file(target: Arg): void {
    this.#reading.files.push(target);
  }

  arithmetic(): void {
    this.#hasArithmetic = true;
  }

  unreadable(why: string): void {
    this.#reading.unreadable.add(shown(why));
  }

  literal(value: string): void {
    this.#hasHidden ||= HIDDEN_SUBSTITUTION.test(value) || endsInSubscript(value);
  }

  #walk(text: string): SyntaxNode | undefined {
    if (isTooMuch(text, this.#depth)) {
      this.unreadable("it is too long or too deeply nested");
    } else if (text.includes("\0") || !text.isWellFormed()) {
      this.unreadable("it holds characters that no shell can be given");
    } else {
      try {
        const tree = this.#grammar.parse(text);
        this.#place.parent = undefined;
        this.#place.inDouble = false;
        this.#visit(tree);
        return tree;
      } catch (error) {
        this.unreadable(`the parser gave up: ${(error as Error).message}`);
      }
    }
    return undefined;
  }

  readonly #visit = (node: SyntaxNode): void => {
    if (node.type === "Word" && PLAIN_WORD.test(node.text)) return;
    const place = this.#place;
    if (!findIn(node, place, this)) return;
    const { parent, inDouble } = place;
    const isDouble = DOUBLE.has(node.type) || (inDouble && node.type !== "Script");
    place.parent = node;
    place.inDouble = isDouble;
    this.#grammar.forEachChild(node, this.#visit);
    place.parent = parent;
    place.inDouble = inDouble;
  };
}

function isTooMuch(text: string, depth: number): boolean {
  if (depth > LIMITS.nested || text.length > LIMITS.characters) return true;
  let documents = 0;
  for (let at = text.indexOf("<<"); at >= 0; at = text.indexOf("<<", at + 2)) documents++;
  return documents >= LIMITS.documents;
}

/** True for part of a subscript whose substitution is put together later. */
function endsInSubscript(value: string): boolean {
  return /[$`]$/.test(value) && value.lastIndexOf("[") > value.lastIndexOf("]");
}
