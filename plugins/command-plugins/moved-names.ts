import { moved } from "../level-2/moved.ts";

/**
 * Names that code takes of a door, as they stand there: one, or several with commas between them.
 */
interface Taken {
  readonly list: string;
  readonly door: string;
  readonly index: number;
}

const door = String.raw`["'](?<door>@gantry/sdk[\w/-]*)["']`;
const later = String.raw`\bimport\s*\(\s*${door}\s*\)`;
const list = String.raw`\{(?<list>[^{}"'\`;]*)\}`;
const word = String.raw`(?<list>[\w$]+)`;

const taking = [
  String.raw`\b(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?${list}\s*from\s*${door}`,
  String.raw`${list}\s*=\s*await\s+${later}`,
  String.raw`${later}\s*\.then\(\s*(?:async\s*)?\(\s*${list}`,
  String.raw`${later}\s*\)?\s*\.\s*(?!(?:then|catch|finally)\b)${word}`,
];
const naming = [
  String.raw`\b(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\*\s*as\s+${word}\s*from\s*${door}`,
  String.raw`(?<![\w$.])${word}\s*=\s*await\s+${later}`,
  String.raw`${later}\s*\.then\(\s*(?:async\s*)?\(?\s*${word}`,
];

/**
 * Returns a sentence for each name of the sdk that the code takes from a door of the earlier level
 * and that stands elsewhere now: by an import, of a whole door under a name, or of one that is
 * loaded later.
 */
export function movedNames(code: string, at: (index: number) => string): readonly string[] {
  const wholes = naming.flatMap((form) => matches(code, form));
  const all = [
    ...taking.flatMap((form) => matches(code, form)),
    ...wholes.flatMap((whole) => ofWhole(code, whole)),
  ];
  const told = all.flatMap(namesOf).toSorted((a, b) => a.index - b.index);
  return [...new Set(told.flatMap((name) => sentence(name, at(name.index)) ?? []))];
}

/** Returns what is taken of a door that stands under a name: `sdk.Tools`, `{ Tools } = sdk`. */
function ofWhole(code: string, { list: name, door: from }: Taken): readonly Taken[] {
  const own = name.replaceAll("$", String.raw`\$`);
  const forms = [String.raw`(?<![\w$.])${own}\s*\.\s*${word}`, String.raw`${list}\s*=\s*${own}(?![\w$.(])`];
  return forms.flatMap((form) => matches(code, form)).map((taken) => ({ ...taken, door: from }));
}

function matches(code: string, form: string): readonly Taken[] {
  return [...code.matchAll(new RegExp(form, "gd"))].map(({ groups, indices }) => ({
    list: groups?.["list"] ?? "",
    door: groups?.["door"] ?? "",
    index: indices?.groups?.["list"]?.[0] ?? 0,
  }));
}

function namesOf({ list: names, door: from, index }: Taken): readonly Taken[] {
  return [...names.matchAll(/(?:^|,)\s*(?:type\s+)?([\w$]+)/dg)].map((one) => ({
    list: one[1] ?? "",
    door: from,
    index: index + (one.indices?.[1]?.[0] ?? 0),
  }));
}

function sentence({ list: name, door: from }: Taken, place: string): string | undefined {
  const doors = Object.hasOwn(moved, from) ? Object.entries(moved[from] ?? {}) : [];
  const to = doors.find(([, names]) => names.trim().split(/\s+/).includes(name))?.[0];
  if (to === undefined) return undefined;
  return to === ""
    ? `${place}: ${name} has no door any more: take its type from what it is part of, or keep a copy.`
    : `${place}: import ${name} from ${to}, in place of ${from}.`;
}
