import type { CheckRow, ConfigFile } from "@gantry/sdk";

/** So many people are named. */
const mostNamed = 10;

interface Named {
  readonly role?: unknown;
  readonly [door: string]: unknown;
}

/**
 * Returns a row that names the people of `[people]` with their roles and doors; none without the
 * table.
 */
export function checkPeople(configFile: ConfigFile): readonly CheckRow[] {
  const people = Object.entries((configFile.get("people") ?? {}) as Readonly<Record<string, Named>>);
  if (people.length === 0) return [];
  const shown = people.slice(0, mostNamed).map(shownPerson);
  const more = people.length > mostNamed ? `; and ${people.length - mostNamed} more` : "";
  return [{ what: "people", state: "ok", detail: `${shown.join("; ")}${more}` }];
}

function shownPerson([name, { role, ...doors }]: readonly [string, Named]): string {
  const held = Object.entries(doors).filter(([, ids]) => Array.isArray(ids) && ids.length > 0);
  const where = held.map(([door]) => door).join(", ");
  return `${name}: ${String(role)}${where === "" ? ", with no door" : ` by ${where}`}`;
}
