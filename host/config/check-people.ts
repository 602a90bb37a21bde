import { allOf } from "@gantry/sdk/fill";
import { Channels, type GantryError, type Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { Registry } from "../plugins/registry.ts";
import type { Configured } from "./configure.ts";
import { nearest } from "@gantry/sdk/node";
import { ownKeys, type Claim, type People } from "./people.ts";
import { wrongAt } from "./wrong-at.ts";

const nameForm = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** How the name of a plugin that fills one channel begins. */
const prefix = "channel-";

/** The plugins that there are. */
export interface KnownPlugins {
  readonly plugins: readonly { readonly plugin: Plugin }[];
  /** Those that could not be loaded. */
  readonly leftOut?: readonly { readonly name: string }[];
  readonly bundled: () => Promise<readonly Plugin[]>;
}

/**
 * Checks `[people]` once every channel is there, then settles who its ids are. Throws CONFIG_* and
 * PEOPLE_TWICE for all that is wrong at once.
 */
export async function checkPeople(
  config: Configured,
  people: People,
  registry: Registry,
  known: KnownPlugins,
): Promise<void> {
  const table = config.host.people;
  if (Object.keys(table).length === 0) return;
  const at = new Places(config);
  const badNames = Object.keys(table).filter((name) => !nameForm.test(name));
  const badName = "must have a name of letters, digits, `.`, `_` and `-`";
  const error = allOf([
    ...badNames.map((name) => at.wrong([name], badName)),
    ...(await unknownKeys(config, at, registry, known)),
    ...wrongIds(people, at),
  ]);
  if (error) throw error;
  people.settle();
}

async function unknownKeys(
  { host: { people } }: Configured,
  at: Places,
  registry: Registry,
  known: KnownPlugins,
): Promise<readonly GantryError[]> {
  const loaded = new Set([...ownKeys, ...(registry.get(Channels)?.keys() ?? [])]);
  const open = Object.entries(people).flatMap(([name, person]) =>
    Object.keys(person).flatMap((key) => (loaded.has(key) ? [] : [[name, key] as const])),
  );
  if (open.length === 0) return [];
  const all = await allOfThem(known);
  if (all === undefined) return [];
  const keys = new Set([...loaded, ...all.filter(fillsChannel).map(channelOf)]);
  return open.flatMap((path) => (keys.has(path[1]) ? [] : [at.unknown(path, keys)]));
}

/** Returns every plugin; undefined if one could not be loaded, so that nobody knows its channel. */
async function allOfThem({
  plugins,
  leftOut = [],
  bundled,
}: KnownPlugins): Promise<readonly Plugin[] | undefined> {
  const all = [...plugins.map(({ plugin }) => plugin), ...(await bundled())];
  return leftOut.every(({ name }) => all.some((one) => one.name === name)) ? all : undefined;
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
    if (id === undefined) {
      wrong.push(at.wrong(path, `holds \`${written}\`, which is not an id of ${door}`));
    } else if (!earlier) first.set(key, claim);
    else if (earlier.person.name !== person.name) wrong.push(at.twice(claim, earlier));
  }
  return wrong;
}

/** Errors about places in `[people]`. */
class Places {
  readonly #config: Configured;

  constructor(config: Configured) {
    this.#config = config;
  }

  wrong(path: readonly string[], sentence: string): GantryError {
    return this.#made(path, (...at) => errors.CONFIG_WRONG_TYPE(...at, keyOf(path), sentence));
  }

  unknown(path: readonly [name: string, key: string], known: ReadonlySet<string>): GantryError {
    const [name, key] = path;
    const meant = nearest(key, known);
    const all = [...known].map((one) => `\`${one}\``).join(", ");
    const like = meant && ` (did you mean \`${keyOf([name, meant])}\`?)`;
    const hint = like ?? `: the keys there are ${all}`;
    return this.#made(path, (...at) => errors.CONFIG_UNKNOWN_KEY(...at, keyOf(path), hint));
  }

  twice({ person, door, written }: Claim, earlier: Claim): GantryError {
    const more = [written, door, earlier.person.name, person.name] as const;
    return this.#made([person.name, door], (...at) => errors.PEOPLE_TWICE(...at, ...more));
  }

  #made(path: readonly string[], make: (file: string, line: number) => GantryError): GantryError {
    const { file, lineOf } = this.#config.text;
    const whole = ["people", ...path];
    return wrongAt(whole, make(file, lineOf(whole)));
  }
}

function keyOf(path: readonly string[]): string {
  return ["people", ...path].join(".");
}
