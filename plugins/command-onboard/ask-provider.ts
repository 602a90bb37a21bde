import { type ProviderOffer } from "@gantry/sdk";
import { providerAddress } from "@gantry/sdk/provider";
import type { Answers } from "./answers.ts";
import type { Ask, Choice } from "./ask.ts";

type Chosen = Pick<Answers, "provider" | "address">;

/** Choices that are not a provider's id: no id holds a space. */
const SERVICES = " services";
const SERVERS = " servers";
const OTHER = " other";

/** Which provider, and where it answers: whatever the loaded plugins offer. */
export async function askProvider(ask: Ask, offers: ReadonlyMap<string, ProviderOffer>): Promise<Chosen> {
  const known = [...offers.values()].toSorted((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
  const of = (list: ProviderOffer["list"]): readonly ProviderOffer[] =>
    known.filter((offer) => (offer.list ?? "services") === list);
  const services = of("services");
  const servers = of("servers");
  const beside = of("beside");
  const choices: Choice<string>[] = [
    { value: SERVICES, label: "A well-known service", hint: "chosen from a list" },
    { value: SERVERS, label: "A server on this machine or network", hint: "no key needed" },
    ...beside.filter(({ offline }) => !offline).map(asChoice),
    { value: OTHER, label: "Another provider", hint: "of a plugin, by its id" },
    ...beside.filter(({ offline }) => offline).map(asChoice),
  ];
  const empty = [...(services.length === 0 ? [SERVICES] : []), ...(servers.length === 0 ? [SERVERS] : [])];
  const chosen = await ask.choice(
    "Which model provider?",
    choices.filter(({ value }) => !empty.includes(value)),
  );
  if (chosen === OTHER) return { provider: await ask.text("Its id?") };
  if (chosen === SERVICES)
    return askAddress(ask, offers, await ask.search("Which service?", services.map(asChoice)));
  if (chosen === SERVERS)
    return askAddress(ask, offers, await ask.choice("Which server?", servers.map(asChoice)));
  return askAddress(ask, offers, chosen);
}

async function askAddress(
  ask: Ask,
  offers: ReadonlyMap<string, ProviderOffer>,
  provider: string,
): Promise<Chosen> {
  const { address: usual, addressKey, addressInId, addressQuestion } = offers.get(provider) ?? {};
  if (!addressKey && !addressInId) return { provider };
  const question = addressQuestion ?? (usual ? "Its address?" : "Its address, with http:// or https://?");
  const initial = usual ?? "";
  // A whole address that is pasted lands behind what stands there already.
  const pasted = (text: string): string =>
    text.startsWith(initial) && /^https?:/.test(text.slice(initial.length))
      ? text.slice(initial.length)
      : text;
  const check = (text: string): string | undefined => wrongAddress(pasted(text));
  const address = pasted(await ask.text(question, { initial, check }));
  if (addressInId) return { provider: `${provider}:${address}` };
  return address === usual ? { provider } : { provider, address };
}

function wrongAddress(text: string): string | undefined {
  try {
    providerAddress(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function titleOf({ name, title = name }: ProviderOffer): string {
  return title;
}

function asChoice(offer: ProviderOffer): Choice<string> {
  return { value: offer.name, label: titleOf(offer), hint: offer.hint ?? offer.address };
}
