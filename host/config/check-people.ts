import { allOf, Channels, type GantryError, type Plugin } from "@gantry/sdk";
import { errors } from "../errors.ts";
import type { Registry } from "../plugins/registry.ts";
import type { Configured } from "./configure.ts";
import { nearest } from "./nearest.ts";
import { ownKeys, type Claim, type People } from "./people.ts";
import { lineOfPath } from "./toml-map.ts";
import { wrongAt } from "./wrong-at.ts";

const nameForm = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** How the name of a plugin that fills one channel begins. */
const prefix = "channel-";

/** Who else could be a channel; undefined if a plugin is missing, so that nobody can tell. */
export type OtherPlugins = () => Promise<readonly Plugin[] | undefined>;

/** Throws CONFIG_* and PEOPLE_TWICE for what is wrong in `[people]`, all at once. */
export async function checkPeople(
  config: Configured,
  people: People,
  registry: Registry,
  others: OtherPlugins,
): Promise<void> {
  const table = config.host.people;
  if (Object.keys(table).length === 0) return;
  const at = new Places(config);
  const names = Object.keys(table).filter((name) => !nameForm.test(name));
  const wrong = [
    ...names.map((name) => at.wrong([name], "must have a name of letters, digits, `.`, `_` and `-`")),
    ...(await unknownKeys(config, at, registry, others)),
    ...wrongIds(people, at),
  ];
  const error = allOf(wrong);
  if (error) throw error;
}

async function unknownKeys(
  { host: { people } }: Configured,
  at: Places,
  registry: Registry,
  others: OtherPlugins,
): Promise<readonly GantryError[]> {
  const loaded = new Set([...ownKeys, ...(registry.get(Channels)?.keys() ?? [])]);
  const open = Object.entries(people).flatMap(([name, person]) =>
    Object.keys(person).flatMap((key) => (loaded.has(key) ? [] : [[name, key] as const])),
  );
  const plugins = open.length === 0 ? [] : await others();
  if (plugins === undefined) return [];
  const known = new Set([...loaded, ...plugins.filter(fillsChannel).map(channelOf)]);
  return open
    .filter(([, key]) => !known.has(key))
    .map(([name, key]) => {
      const meant = nearest(key, known);
      const all = [...known].map((one) => `\`${one}\``).join(", ");
      const hint = meant ? ` (did you mean \`people.${name}.${meant}\`?)` : `: the keys there are ${all}`;
      const { file, line } = at.place([name, key]);
      return at.found([name, key], errors.CONFIG_UNKNOWN_KEY(file, line, `people.${name}.${key}`, hint));
    });
}

function fillsChannel({ name, provides = [] }: Plugin): boolean {
  return name.startsWith(prefix) && provides.some(({ id }) => id === Channels.id);
}

function channelOf({ name }: Plugin): string {
  return name.slice(prefix.length);
}

function wrongIds(people: People, at: Places): readonly GantryError[] {
  const first = new Map<string, Claim>();
  const wrong: GantryError[] = [];
  for (const claim of people.claims()) {
    const { person, door, written, id } = claim;
    const path = [person.name, door];
    const key = JSON.stringify([door, id]);
    const earlier = first.get(key);
    if (id === undefined) wrong.push(at.wrong(path, `holds \`${written}\`, which is not an id of ${door}`));
    else if (!earlier) first.set(key, claim);
    else if (earlier.person.name !== person.name) {
      const { file, line } = at.place(path);
      const both = [earlier.person.name, person.name] as const;
      wrong.push(at.found(path, errors.PEOPLE_TWICE(file, line, written, door, ...both)));
    }
  }
  return wrong;
}

/** Where in the file something of `[people]` stands. */
class Places {
  readonly #config: Configured;

  constructor(config: Configured) {
    this.#config = config;
  }

  place(path: readonly string[]): { readonly file: string; readonly line: number } {
    const { file, map } = this.#config.text;
    return { file, line: lineOfPath(map, ["people", ...path]) };
  }

  wrong(path: readonly string[], sentence: string): GantryError {
    const { file, line } = this.place(path);
    const key = ["people", ...path].join(".");
    return this.found(path, errors.CONFIG_WRONG_TYPE(file, line, key, sentence));
  }

  found(path: readonly string[], error: GantryError): GantryError {
    return wrongAt(["people", ...path], error);
  }
}
