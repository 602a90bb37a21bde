import { allOf } from "@gantry/sdk/fill";
import { Channels, type GantryError, type Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { Registry } from "../plugins/registry.ts";
import type { Configured } from "./configure.ts";
import { nearest } from "@gantry/sdk/node";
import { ownKeys, type People } from "./people.ts";
import { wrongAt } from "./wrong-at.ts";

const nameForm = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** The beginning of the name of a plugin that fills one channel. */
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
  const badNames = Object.keys(table).filter((name) => !nameForm.test(name));
  const badName = "must have a name of letters, digits, `.`, `_` and `-`";
  const error = allOf([
    ...badNames.map((name) => wrong(config, [name], badName)),
    ...(await unknownKeys(config, registry, known)),
    ...wrongIds(config, people),
  ]);
  if (error) throw error;
  people.settle();
}

async function unknownKeys(
  config: Configured,
  registry: Registry,
  known: KnownPlugins,
): Promise<readonly GantryError[]> {
  const loaded = new Set([...ownKeys, ...(registry.get(Channels)?.keys() ?? [])]);
  const open = Object.entries(config.host.people).flatMap(([name, person]) =>
    Object.keys(person).flatMap((key) => (loaded.has(key) ? [] : [[name, key] as const])),
  );
  if (open.length === 0) return [];
  const all = await allOfThem(known);
  if (all === undefined) return [];
  const keys = new Set([...loaded, ...all.filter(fillsChannel).map(channelOf)]);
  return open.flatMap((path) => (keys.has(path[1]) ? [] : [unknown(config, path, keys)]));
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

function wrongIds(config: Configured, people: People): readonly GantryError[] {
  const first = new Map<string, string>();
  return [...people.claims()].flatMap(({ person: { name }, door, written, id }) => {
    const path = [name, door];
    const noId = `holds \`${written}\`, which is not an id of ${door}`;
    if (id === undefined) return [wrong(config, path, noId)];
    const key = JSON.stringify([door, id]);
    const earlier = first.get(key) ?? name;
    first.set(key, earlier);
    if (earlier === name) return [];
    const both = [written, door, earlier, name] as const;
    return [at(config, path, (...place) => errors.PEOPLE_TWICE(...place, ...both))];
  });
}

function wrong(config: Configured, path: readonly string[], sentence: string): GantryError {
  return at(config, path, (...place) => errors.CONFIG_WRONG_TYPE(...place, keyOf(path), sentence));
}

function unknown(
  config: Configured,
  path: readonly [name: string, key: string],
  known: ReadonlySet<string>,
): GantryError {
  const meant = nearest(path[1], known);
  const all = [...known].map((one) => `\`${one}\``).join(", ");
  const like = meant && ` (did you mean \`${keyOf([path[0], meant])}\`?)`;
  const hint = like ?? `: the keys there are ${all}`;
  return at(config, path, (...place) => errors.CONFIG_UNKNOWN_KEY(...place, keyOf(path), hint));
}

/** Makes an error about a place in `[people]`. */
function at(
  { text: { file, lineOf } }: Configured,
  path: readonly string[],
  make: (file: string, line: number) => GantryError,
): GantryError {
  const whole = ["people", ...path];
  return wrongAt(whole, make(file, lineOf(whole)));
}

function keyOf(path: readonly string[]): string {
  return ["people", ...path].join(".");
}
