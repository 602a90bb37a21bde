import { ProviderOffers, type ProviderOffer } from "@gantry/sdk";
import { offerOf } from "@gantry/sdk/fill";
import type { Host } from "@gantry/host";

/** The time that servers on this machine have to tell of themselves. */
const lookMs = 500;
const most = 5;

/**
 * Says how somebody who has named no provider comes to a model: by which word, with which keys of
 * the environment and servers of this machine. Returns nothing if a model answers already.
 */
export async function firstScreen(host: Host, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const offers = host.get(ProviderOffers) ?? new Map<string, ProviderOffer>();
  const present = await host.models.resolve().catch(() => undefined);
  if (present && offerOf(offers, present.name)?.offline !== true) return [];
  const keys = [...offers.values()].flatMap(({ name, keyVariable, addressInId }) =>
    keyVariable !== undefined && env[keyVariable] && addressInId !== true
      ? [`${keyVariable} is set: \`gantry onboard --provider ${name}\` uses it.`]
      : [],
  );
  const servers = await Promise.all([...offers.values()].map((offer) => serverOf(host, offer)));
  const found = [...keys, ...servers.flat()].slice(0, most);
  return ["No model is set up yet. `gantry onboard` sets one up with a few questions.", ...found];
}

/** Tells of a server of this machine if it answers now. */
async function serverOf(
  { models }: Host,
  { name, list, address }: ProviderOffer,
): Promise<readonly string[]> {
  if (list !== "servers") return [];
  try {
    const provider = await models.resolve(name);
    const known = await provider.models?.(AbortSignal.timeout(lookMs));
    if (!known) return [];
    const at = provider.server ?? address ?? "its address";
    return [`${name} answers at ${at}: \`gantry onboard --provider ${name}\` uses it.`];
  } catch {
    return [];
  }
}
