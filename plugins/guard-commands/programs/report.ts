import { readOptions, type Options, type Parsed } from "./options.ts";
import type { Report } from "../syntax/findings.ts";
import { begun, known, shown, type Arg } from "../syntax/words.ts";

export type { Report };

/** Looks through a program's arguments for what it starts. */
export type Program = (args: readonly Arg[], report: Report, name: string) => void;

/** Leading options; asks where it cannot be told where they end. */
export function optionsOf(name: string, args: readonly Arg[], spec: Options, report: Report): Parsed {
  const result = readOptions(args, spec);
  if (result.unclear !== undefined)
    report.ask(`${name} is given \`${shown(result.unclear)}\`, which may change what it starts`);
  return result;
}

export function has({ given }: Parsed, names: string): boolean {
  return given.some(([name]) => names.split(" ").includes(name));
}

export function valueOf({ given }: Parsed, names: string): Arg | undefined {
  return given.find(([name]) => names.split(" ").includes(name))?.[1];
}

/** Words put together with blanks, as eval does. */
export function joined(args: readonly Arg[]): Arg {
  const text = args.map((arg) => arg.guess).join(" ");
  return args.every((arg) => arg.whole) ? known(text) : begun("", text);
}
