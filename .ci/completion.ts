import { everywhere, flagNames, takesValue, type Word } from "./words.ts";

/** Completion for three shells, by the name of the file that each reads. */
export function completions(words: readonly Word[]): Readonly<Record<string, string>> {
  return { "gantry.bash": bash(words), _gantry: zsh(words), "gantry.fish": fish(words) };
}

interface Next {
  /** The words before it: nothing, `config`, `config set`. */
  readonly after: string;
  readonly word: string;
  readonly summary: string;
}

/** Every word that may follow. */
function nexts(words: readonly Word[]): readonly Next[] {
  const found = new Map<string, Next>();
  for (const { name, summary } of words) {
    const [first = "", second] = name.split(" ");
    if (!second) found.set(first, { after: "", word: first, summary });
    else {
      if (!found.has(first)) found.set(first, { after: "", word: first, summary: `${first} …` });
      found.set(name, { after: first, word: second, summary });
    }
  }
  return [...found.values()];
}

function flagsOf({ options }: Word): readonly string[] {
  return [...options, ...everywhere].flatMap(flagNames);
}

function valued(words: readonly Word[]): readonly string[] {
  return [...new Set(words.flatMap(({ options }) => options.filter(takesValue).flatMap(flagNames)))];
}

function bash(words: readonly Word[]): string {
  const groups = Map.groupBy(nexts(words), ({ after }) => after);
  const rows = [...groups].map(
    ([after, list]) => `    ${quoted(after)}) found=${quoted(list.map(({ word }) => word).join(" "))} ;;`,
  );
  const flags = words.map((word) => `    ${quoted(word.name)}*) flags=${quoted(flagsOf(word).join(" "))} ;;`);
  return `# Completion of gantry for bash.
_gantry() {
  local current=\${COMP_WORDS[COMP_CWORD]} typed="" found="" flags="--debug --help --version" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
    ${valued(words).join(" | ")}) ((i++)) ;;
    -*) ;;
    *) typed+="\${typed:+ }\${COMP_WORDS[i]}" ;;
    esac
  done
  case $typed in
${rows.join("\n")}
  esac
  case $typed in
${flags.toReversed().join("\n")}
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
  elif [[ $found ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$found" -- "$current")
  fi
}
complete -o default -F _gantry gantry
`;
}

function zsh(words: readonly Word[]): string {
  const groups = Map.groupBy(nexts(words), ({ after }) => after);
  const rows = [...groups].map(
    ([after, list]) => `    ${quoted(after)}) found=(${list.map(described).join(" ")}) ;;`,
  );
  const flags = words.map((word) => {
    const all = [...word.options, ...everywhere];
    const shown = all.flatMap((option) =>
      flagNames(option).map((flag) => quoted(`${flag}:${colons(option.summary)}`)),
    );
    return `    ${quoted(word.name)}*) flags=(${shown.join(" ")}) ;;`;
  });
  return `#compdef gantry
# Completion of gantry for zsh.
_gantry() {
  local typed="" i
  local -a found flags
  for ((i = 2; i < CURRENT; i++)); do
    case $words[i] in
    ${valued(words).join(" | ")}) ((i++)) ;;
    -*) ;;
    *) typed+="\${typed:+ }$words[i]" ;;
    esac
  done
  case $typed in
${rows.join("\n")}
  esac
  case $typed in
${flags.toReversed().join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe option flags
  elif ((\${#found})); then
    _describe word found
  else
    _files
  fi
}
if [[ $funcstack[1] == _gantry ]]; then _gantry "$@"; else compdef _gantry gantry; fi
`;
}

function described({ word, summary }: Next): string {
  return quoted(`${word}:${colons(summary)}`);
}

function colons(text: string): string {
  return text.replaceAll(":", "\\:");
}

function fish(words: readonly Word[]): string {
  const rows = nexts(words).map(({ after, word, summary }) => {
    const when = after
      ? `__fish_seen_subcommand_from ${after}; and test (count (commandline -opc)) -eq 2`
      : "__fish_use_subcommand";
    return `complete -c gantry -f -n ${quoted(when)} -a ${word} -d ${quoted(summary)}`;
  });
  const flags = words.flatMap(({ name, options }) => {
    const when = name
      .split(" ")
      .map((part) => `__fish_seen_subcommand_from ${part}`)
      .join("; and ");
    return options.map((option) => {
      const names = flagNames(option).map((flag) =>
        flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const value = takesValue(option) ? " -r" : "";
      return `complete -c gantry -n ${quoted(when)} ${names.join(" ")}${value} -d ${quoted(option.summary)}`;
    });
  });
  return `# Completion of gantry for fish.\n${[...rows, ...flags].join("\n")}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
