import { opensFiles, startsPrograms as awkStarts } from "./awk-program.ts";
import type { Parsed } from "./options.ts";
import { optionsOf, type Program } from "./report.ts";
import { filesOf } from "./sed-script.ts";
import { begun, known, UNKNOWN, type Arg } from "../syntax/words.ts";

// Beyond this, reading a script costs more than it is worth.
const LONGEST = 4_000;
const sedOptions = {
  value: "efl",
  maybe: "i",
  flag: "nErsuz",
  long: "expression= file= line-length= in-place? quiet silent regexp-extended separate unbuffered null-data zero-terminated posix debug sandbox follow-symlinks binary help version",
};

export const sed: Program = (args, report) => {
  const given: Parsed["given"][number][] = [];
  const operands: Arg[] = [];
  // Options may follow operands.
  for (let rest = args; rest.length > 0;) {
    const options = optionsOf("sed", rest, sedOptions, report);
    given.push(...options.given);
    operands.push(...options.rest.slice(0, 1));
    rest = options.rest.slice(1);
  }
  const named = given.flatMap(([name, value]) =>
    (name === "e" || name === "expression") && value ? [value] : [],
  );
  const fromFile = given.some(([name]) => name === "f" || name === "file");
  const scripts = named.length > 0 || fromFile ? named : operands.slice(0, 1);
  const text = scripts.map((script) => script.guess).join("\n");
  if (text.length > LONGEST) report.ask("this sed script is too long to be read");
  else {
    const files = fromFile || scripts.some(isOpen) ? undefined : filesOf(text);
    if (!files) report.ask("this sed script can start programs");
    for (const name of files ?? []) {
      const at = name.indexOf(UNKNOWN);
      report.file(at < 0 ? known(name) : begun(name.slice(0, at), name));
    }
  }
};

export const awk: Program = (args, report) => {
  let program: Arg | undefined;
  let risky = false;
  let opens = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as Arg;
    if (program === undefined && /^-[Fv]$/.test(arg.text)) at++;
    else {
      risky ||=
        /^(-[fEilDW]|--(f|exec|incl|load|debug))/.test(arg.text) ||
        (!/^-[Fv]/.test(arg.text) && (arg.guess.length > LONGEST || awkStarts(arg.guess)));
      opens ||= arg.guess.length <= LONGEST && opensFiles(arg.guess);
      if (!arg.text.startsWith("-")) program ??= arg;
    }
  }
  if (opens) report.file(begun("", UNKNOWN));
  if (risky || (program && isOpen(program))) report.ask("this awk program can start programs");
};

/** Known at run time from its first letter on. */
function isOpen({ text, whole }: Arg): boolean {
  return text === "" && !whole;
}
