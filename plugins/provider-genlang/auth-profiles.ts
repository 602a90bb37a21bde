import { join } from "node:path";
import type { Store } from "@gantry/sdk";
import { NAME } from "./config.ts";
import { errors } from "./errors.ts";
import { withLock } from "../shared/store-lock.ts";
import { readJson, writeJson } from "./secret-file.ts";
import { readTokens } from "./tokens.ts";
import type { Account, Tokens } from "./tokens.ts";

const VERSION = 1;
const FILE = "auth-profiles.json";

/** One login, as it stands in the file. Fields that a newer release added are kept. */
export interface Profile {
  readonly provider: string;
  readonly name: string;
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  /** Unix ms. */
  readonly expiry_date?: number;
  /** The account of the login, if the server named it. */
  readonly account?: string;
  /** ISO 8601. */
  readonly created?: string;
  readonly updated?: string;
}

export interface ProfilesFile {
  readonly version: number;
  /** The active profile of each provider, as `provider:name`. */
  readonly active: Readonly<Record<string, string>>;
  /** By `provider:name`. */
  readonly profiles: Readonly<Record<string, Profile>>;
}

const EMPTY: ProfilesFile = { version: VERSION, active: {}, profiles: {} };

/** The logins that this product made, in `<config_dir>/auth-profiles.json`. */
export interface AuthProfiles {
  load(): Promise<ProfilesFile>;
  /** Reads, changes and writes in one step, one process at a time. */
  change(edit: (file: ProfilesFile) => ProfilesFile): Promise<void>;
  /** The active login of genlang. */
  active(): Promise<Account | undefined>;
}

export function createAuthProfiles(
  configDir: string,
  store: Store | undefined,
  signal: AbortSignal,
): AuthProfiles {
  const path = join(configDir, FILE);

  const load = async (): Promise<ProfilesFile> => {
    const value = await readJson(path, FILE);
    if (value === undefined) return EMPTY;
    const { version, active = {}, profiles = {} } = (value ?? {}) as Partial<ProfilesFile>;
    if (typeof version === "number" && version > VERSION) throw errors.GENLANG_PROFILES_NEWER(FILE, version);
    if (
      version !== VERSION ||
      !isRecord(active) ||
      !isRecord(profiles) ||
      !Object.values(profiles).every(isRecord)
    ) {
      throw errors.GENLANG_CREDENTIAL_BROKEN(FILE, "it does not hold version, active and profiles");
    }
    return { ...(value as ProfilesFile), active, profiles };
  };
  const change: AuthProfiles["change"] = (edit) =>
    withLock(store, { space: "genlang-lock", key: FILE }, signal, async () =>
      writeJson(path, edit(await load())),
    );

  const accountOf = (key: string): Account => ({
    id: `${FILE} (${key})`,
    source: "auth-profiles",
    async read() {
      return readTokens((await load()).profiles[key], `${FILE} (${key})`);
    },
    save: (tokens) => change((file) => withTokens(file, key, tokens)),
  });
  return {
    load,
    change,
    async active() {
      const key = (await load()).active[NAME];
      return typeof key === "string" ? accountOf(key) : undefined;
    },
  };
}

/** A profile that was removed meanwhile stays removed. */
function withTokens(file: ProfilesFile, key: string, tokens: Tokens): ProfilesFile {
  const known = file.profiles[key];
  if (!known) return file;
  const { expiry_date: _, ...rest } = known;
  const profile: Profile = {
    ...rest,
    ...(tokens.accessToken !== undefined && { access_token: tokens.accessToken }),
    ...(tokens.refreshToken !== undefined && { refresh_token: tokens.refreshToken }),
    ...(tokens.expires !== undefined && { expiry_date: tokens.expires }),
    updated: new Date().toISOString(),
  };
  return { ...file, profiles: { ...file.profiles, [key]: profile } };
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
