// The programs that the tests run or talk to beside Node. `npm run programs` installs those that
// are missing, if it may: on Debian, as root.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** Command and Debian package. */
const programs: Readonly<Record<string, string>> = {
  bash: "bash",
  chromedriver: "chromium-driver",
  chromium: "chromium",
  curl: "curl",
  dovecot: "dovecot-imapd",
  gcc: "gcc",
  git: "git",
  initdb: "postgresql",
  openssl: "openssl",
  pgbouncer: "pgbouncer",
  socat: "socat",
  strace: "strace",
  submission: "dovecot-submissiond",
  tmux: "tmux",
};

/** Servers stand where an ordinary user's search path does not lead. */
const folders: readonly string[] = [
  ...(process.env["PATH"] ?? "").split(path.delimiter),
  "/usr/local/sbin",
  "/usr/sbin",
  "/sbin",
  "/usr/lib/dovecot",
  ...postgresPrograms(),
];

/** Debian keeps the server's programs in a folder for each version, the newest last. */
function postgresPrograms(): readonly string[] {
  const home = "/usr/lib/postgresql";
  if (!existsSync(home)) return [];
  return readdirSync(home).map((version) => path.join(home, version, "bin"));
}

/** Returns the whole path of a program; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the programs that are missing, and the packages that bring them. */
export function missingPrograms(): {
  readonly names: readonly string[];
  readonly packages: readonly string[];
} {
  const missing = Object.entries(programs).filter(([name]) => findProgram(name) === undefined);
  return { names: missing.map(([name]) => name), packages: missing.map(([, debian]) => debian) };
}

if (process.argv[1] === import.meta.filename) {
  const { packages } = missingPrograms();
  if (packages.length > 0 && process.getuid?.() === 0 && findProgram("apt-get") !== undefined) {
    process.stderr.write(`gantry: installing ${packages.join(", ")} for the tests (once)…\n`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    for (const args of [["update"], ["install", "--yes", "--no-install-recommends", ...packages]])
      spawnSync("apt-get", ["-qq", ...args], { env, stdio: ["ignore", "ignore", "inherit"] });
  }
}
