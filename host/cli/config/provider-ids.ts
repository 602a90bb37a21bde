import { allOf, shownAddress } from "@gantry/sdk/fill";
import { ProviderOffers, type GantryError, type ProviderOffer } from "@gantry/sdk";
import { hostErrors, isTree, wrongAt, type Configured, type SetUpHost } from "@gantry/host";
import { errors } from "../errors.ts";

/**
 * Throws CONFIG_WRONG_TYPE where a provider that takes its address behind its name is named with
 * something else there.
 */
export function checkProviderIds({ options: { config }, registry }: SetUpHost): void {
  const { text } = config;
  const addressed = [...(registry.get(ProviderOffers)?.values() ?? [])].filter(
    ({ addressInId }) => addressInId === true,
  );
  const wrong = named(text.tree)
    .filter(([, id]) => !isRight(id, addressed))
    .map(([path, id]): GantryError => {
      const why = `is wrong: ${errors.PROVIDER_URL(shownAddress(id)).message.slice(0, -1)}`;
      const line = text.lineOf(path);
      return wrongAt(path, hostErrors.CONFIG_WRONG_TYPE(text.file, line, path.join("."), why));
    });
  const error = allOf(wrong);
  if (error) throw error;
}

/** Every provider that the file names, and its key. */
function named({ default_provider, agent, reliability }: Configured["text"]["tree"]): [string[], string][] {
  const fallbacks = isTree(reliability) ? reliability["fallback_providers"] : undefined;
  const all: [string[], unknown][] = [
    [["default_provider"], default_provider],
    [["agent", "provider"], isTree(agent) ? agent["provider"] : undefined],
    ...(Array.isArray(fallbacks) ? fallbacks : []).map((id): [string[], unknown] => [
      ["reliability", "fallback_providers"],
      id,
    ]),
  ];
  return all.filter((entry): entry is [string[], string] => typeof entry[1] === "string");
}

/** An address that a variable stands in is known only when it is used. */
function isRight(id: string, addressed: readonly ProviderOffer[]): boolean {
  const offer = addressed.find(({ name }) => id.startsWith(`${name}:`));
  if (!offer || id.includes("${")) return true;
  const address = id.slice(offer.name.length + 1);
  return /^https?:\/\/[^/]/.test(address) && URL.canParse(address);
}
