/** Names of settings whose value is secret however short it is. */
const SECRET_NAME = /pass|pwd|secret|token|key|credential|auth|private|dsn/i;
/** Shorter texts stand everywhere by chance. */
const MIN_NAMED = 5;
const MIN_VALUE = 8;
const MIN_LINE = 8;
/**
 * An address of a whole server tells nothing, and stands in each lock file where it is that of a
 * registry.
 */
const SERVER = /^https?:\/\/[\w.-]+(:\d+)?\/?$/i;

/** The texts of a secret file that must not be seen: its lines, and the values of its settings. */
export function secretsIn(file: string): readonly string[] {
  const found = new Set<string>();
  for (const written of file.split(/\r?\n/)) {
    const line = written.trim();
    if (line === "" || line.startsWith("#") || /^-----(BEGIN|END)/.test(line)) continue;
    if (line.length >= MIN_LINE) found.add(line);
    const [, name = "", value = ""] = /^(?:export\s+)?["']?([\w.-]+)["']?\s*[=:]\s*(.*?),?$/.exec(line) ?? [];
    for (const secret of valuesIn(name, unquoted(value))) found.add(secret);
  }
  return [...found];
}

/** The value if it tells something by itself, and the password in an address. */
function valuesIn(name: string, value: string): readonly string[] {
  const [, password = ""] = /:\/\/[^\s/:@]*:([^\s/@]+)@/.exec(value) ?? [];
  const isNamed = SECRET_NAME.test(name) && value.length >= MIN_NAMED;
  const isTelling =
    !SERVER.test(value) &&
    (value.length >= 20 || (value.length >= MIN_VALUE && /\d/.test(value) && /\D/.test(value)));
  return [...(isNamed || isTelling ? [value] : []), ...(password.length >= MIN_NAMED ? [password] : [])];
}

function unquoted(value: string): string {
  const [, inner] = /^(["'`])(.*)\1$/s.exec(value.trim()) ?? [];
  return inner ?? value.trim();
}
