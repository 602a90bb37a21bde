import type { Command, CommandContext } from "@gantry/sdk";
import { errors as common } from "@gantry/sdk";
import type { AuthProfiles, ProfilesFile } from "./auth-profiles.ts";
import { ALIASES, NAME } from "./config.ts";
import { errors } from "./errors.ts";
import { login } from "./login.ts";
import type { LoginDeps } from "./login.ts";

export interface AuthDeps extends Pick<LoginDeps, "config" | "upstream" | "loopback"> {
  readonly profiles: AuthProfiles;
  /** The source in use, by its name. */
  readonly source: () => Promise<string>;
}

const PROVIDER = { flags: "--provider <id>", summary: "the provider; only genlang has a login" };
const PROFILE = { flags: "--profile <name>", summary: "which login, where there are several" };

/** `auth login`, `auth status`, `auth logout`. */
export function authCommands(deps: AuthDeps): readonly Command[] {
  return [
    {
      name: "auth login",
      summary: "log in to a provider in the browser",
      options: [
        PROVIDER,
        PROFILE,
        { flags: "--paste", summary: "paste the address the browser ends at, instead of opening a port" },
      ],
      run: (run) => logIn(deps, run),
    },
    {
      name: "auth status",
      summary: "show the logins there are, and which credential is in use",
      options: [{ flags: "--json", summary: "print one JSON object" }],
      run: (run) => status(deps, run),
    },
    {
      name: "auth logout",
      summary: "remove a login from this machine",
      options: [PROVIDER, PROFILE],
      run: (run) => logOut(deps, run),
    },
  ];
}

async function logIn(
  { config, upstream, loopback, profiles }: AuthDeps,
  run: CommandContext,
): Promise<number> {
  requireGenlang(run, "auth login ");
  const name = profileName(run) ?? "default";
  await profiles.load();
  const profile = await login(
    {
      config,
      upstream,
      loopback,
      show(address, paste) {
        run.err("Open this address in a browser and log in:");
        run.err(address);
        run.err(
          paste
            ? "The browser then shows an error page: paste its whole address here."
            : "Waiting for the browser…",
        );
      },
      pasted: (signal) => readLine(run, signal),
    },
    name,
    run.options["paste"] === true,
    run.signal,
  );
  const key = `${NAME}:${name}`;
  await profiles.change((file) => ({
    ...file,
    active: { ...file.active, [NAME]: key },
    profiles: { ...file.profiles, [key]: profile },
  }));
  run.out(
    `Logged in${profile.account === undefined ? "" : ` as ${profile.account}`}: ${key} is the active profile.`,
  );
  if (!profile.refresh_token)
    run.err("The server gave no refresh token, so this login ends with its first token.");
  return 0;
}

async function status({ profiles, source }: AuthDeps, run: CommandContext): Promise<number> {
  const file = await profiles.load();
  const rows = Object.entries(file.profiles).map(([profile, { provider, account, expiry_date }]) => ({
    profile,
    provider,
    active: file.active[provider] === profile,
    account,
    expires:
      typeof expiry_date === "number" && Number.isFinite(expiry_date)
        ? new Date(expiry_date).toISOString()
        : undefined,
  }));
  const inUse = await source();
  if (run.options["json"] === true) run.out(JSON.stringify({ source: { [NAME]: inUse }, profiles: rows }));
  else {
    run.out(`${NAME}: credential: ${inUse}`);
    for (const { profile, active, account, expires } of rows) {
      const facts = [active && "active", account, expires && `token until ${expires}`].filter(Boolean);
      run.out(`  ${profile}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`);
    }
    if (rows.length === 0) run.out("  no login: `gantry auth login --provider genlang` makes one");
  }
  return 0;
}

async function logOut({ profiles }: AuthDeps, run: CommandContext): Promise<number> {
  requireGenlang(run, "auth logout ");
  const name = profileName(run);
  const before = await profiles.load();
  const key = name === undefined ? before.active[NAME] : `${NAME}:${name}`;
  if (key === undefined || !Object.hasOwn(before.profiles, key))
    throw errors.GENLANG_NO_PROFILE(key ?? "that is active");
  await profiles.change((file) => without(file, key));
  run.out(`Removed ${key} from this machine; the vendor's account page ends the access for good.`);
  return 0;
}

/** Another login of the same provider becomes the active one. */
function without(file: ProfilesFile, key: string): ProfilesFile {
  const profiles = Object.fromEntries(Object.entries(file.profiles).filter(([known]) => known !== key));
  if (file.active[NAME] !== key) return { ...file, profiles };
  const { [NAME]: _, ...active } = file.active;
  const next = Object.keys(profiles).find((known) => known.startsWith(`${NAME}:`));
  return { ...file, profiles, active: next === undefined ? active : { ...active, [NAME]: next } };
}

function requireGenlang(run: CommandContext, word: string): void {
  const { provider } = run.options;
  if (typeof provider !== "string") throw common.USAGE("--provider is missing", word);
  if (!ALIASES.includes(provider)) throw errors.GENLANG_AUTH_PROVIDER(provider);
}

function profileName(run: CommandContext): string | undefined {
  const { profile } = run.options;
  if (profile === undefined) return undefined;
  if (typeof profile !== "string" || !/^[\w.@-]{1,64}$/.test(profile))
    throw errors.GENLANG_PROFILE_NAME(profile);
  return profile;
}

async function readLine({ input }: CommandContext, signal: AbortSignal): Promise<string> {
  for await (const line of input?.lines({ signal }) ?? []) if (line.trim() !== "") return line;
  throw errors.GENLANG_LOGIN_FAILED("nothing was pasted");
}
