import { errors } from "../contract/codes.ts";

const maxShown = 300;
/**
 * A shorter secret may be an ordinary word: taken out wherever it stands, it would spoil the
 * sentence and tell itself.
 */
const shortestHidden = 8;

export interface SecretKeys<Key extends string> {
  /** The channel's name, also in the variables: `SERVICE_<CHANNEL>_<KEY>`. */
  readonly channel: string;
  /** Its table in the configuration. */
  readonly table: string;
  readonly values: { readonly [K in Key]: string | undefined };
  readonly required: readonly NoInfer<Key>[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the secrets of a channel: a variable wins over its key, so that none need stand in a
 * file. Throws CHANNEL_MISSING and CHANNEL_BLANK.
 */
export function readSecrets<Key extends string>({
  channel,
  table,
  values,
  required,
  env,
}: SecretKeys<Key>): { readonly [K in Key]: string | undefined } {
  const variable = (key: string): string => `SERVICE_${channel}_${key}`.toUpperCase();
  const found: { [K in Key]: string | undefined } = { ...values };
  for (const key of Object.keys(values) as Key[]) {
    found[key] = env[variable(key)] ?? values[key];
    if (found[key]?.trim() === "") throw errors.CHANNEL_BLANK(variable(key));
  }
  const missing = required.filter((key) => found[key] === undefined);
  if (missing.length === 0) return found;
  throw errors.CHANNEL_MISSING(channel, missing.map((key) => `${key} (${variable(key)})`).join(", "), table);
}

/**
 * Makes what a platform said fit for a log: one line, without these secrets, as they are or in an
 * address.
 */
export function scrubber(secrets: readonly (string | undefined)[]): (text: string) => string {
  const hidden = secrets
    .filter((secret) => secret !== undefined && secret.length >= shortestHidden)
    .flatMap((secret) => [secret as string, encodeURIComponent(secret as string)]);
  return (text) => {
    const clean = hidden.reduce((kept, secret) => kept.replaceAll(secret, "***"), text);
    return clean.replace(/\p{Cc}+/gu, " ").slice(0, maxShown);
  };
}
