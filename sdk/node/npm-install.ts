import { printable } from "./printable.ts";

const TIME_MS = 10 * 60_000;
const MAX_SAID = 1 << 20;
/**
 * Forbids npm, whatever its settings say, to run code of a package, or to fetch from elsewhere than
 * a registry.
 */
const NEVER = ["--ignore-scripts", "--allow-git=none", "--allow-remote=none", "--allow-file=none"];
const QUIETLY = ["--global=false", "--omit=dev", "--no-bin-links", "--no-audit", "--no-fund"];

/**
 * Installs a package, `name@1.2.3`, and what it needs into a folder with a package.json of its own.
 * npm works with the settings of its user, and no code of a package runs. Throws why it did not, as
 * in "%s".
 */
export async function npmInstall(
  what: string,
  how: { readonly folder: string; readonly registry: string | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { folder: cwd, registry, signal } = how;
  const { execFile } = await import("node:child_process");
  const from = registry === undefined ? [] : [`--registry=${registry}`];
  const args = ["install", ...NEVER, ...QUIETLY, "--save-exact", ...from, "--", what];
  const options = { cwd, signal, timeout: TIME_MS, maxBuffer: MAX_SAID };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  execFile("npm", args, options, (error, _out, said) => {
    if (!error) return resolve();
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    reject(new Error(isMissing ? "npm is not on the PATH" : reasonIn(said)));
  });
  return promise;
}

/** Returns the first lines that say why, without npm's own words around them. */
function reasonIn(said: string): string {
  const lines = said.split("\n").flatMap((line) => /^npm (?:error|ERR!) (.+)$/.exec(line)?.[1] ?? []);
  const telling = lines.filter((line) => !/^(?:code|errno|A complete log)\b/.test(line));
  return printable(telling.slice(0, 3).join(" "), 300) || "npm did not say why, or took too long";
}
