import { type ProviderOffer } from "@gantry/sdk";
import { providerAddress } from "@gantry/sdk/provider";
import { addressKeyOf, type Answers } from "./answers.ts";
import type { Ask, Choice } from "./ask.ts";

type Kind = "demo" | "service" | "local" | "custom" | "messages-custom" | "genlang" | "hostedllm" | "other";

const kinds: readonly Choice<Kind>[] = [
  { value: "service", label: "A well-known service", hint: "chosen from a list" },
  { value: "local", label: "A server on this machine or network", hint: "no key needed" },
  { value: "custom", label: "Another address that speaks chat completions" },
  { value: "messages-custom", label: "Another address that speaks messages" },
  { value: "genlang", label: "genlang", hint: "generative language, by key or login" },
  { value: "hostedllm", label: "hostedllm", hint: "hosted chat completions" },
  { value: "other", label: "Another provider", hint: "of a plugin, by its id" },
  { value: "demo", label: "The offline demo", hint: "no key, no network: see the tools and guards work" },
];

/** Addresses that first-class local servers listen on unless told otherwise. */
const locals: Readonly<Record<string, string>> = {
  "local-a": "http://localhost:8080/v1",
  "local-b": "http://localhost:30000/v1",
  "local-c": "http://localhost:8000/v1",
};

/** Which provider, and where it answers. */
export async function askProvider(
  ask: Ask,
  offers: ReadonlyMap<string, ProviderOffer>,
): Promise<Pick<Answers, "provider" | "address">> {
  const known = [...offers.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const hosted = known.filter(({ keyVariable }) => keyVariable !== undefined);
  const kind = await ask.choice(
    "Which model provider?",
    kinds.filter(({ value }) => value !== "service" || hosted.length > 0),
  );
  if (kind === "demo" || kind === "genlang") return { provider: kind };
  if (kind === "other") return { provider: await ask.text("Its id?") };
  if (kind === "service") return { provider: await ask.search("Which service?", hosted.map(asChoice)) };
  if (kind === "hostedllm")
    return { provider: kind, address: await askAddress(ask, "Its address, without the /v1?") };
  if (kind === "local") return askLocal(ask, known);
  return { provider: `${kind}:${await askAddress(ask, "Its address, with http:// or https://?")}` };
}

async function askLocal(
  ask: Ask,
  known: readonly ProviderOffer[],
): Promise<Pick<Answers, "provider" | "address">> {
  const own = Object.entries(locals).map(([value, hint]) => ({ value, label: value, hint }));
  const provider = await ask.choice("Which server?", [
    ...own,
    ...known
      .filter(({ keyVariable, address }) => keyVariable === undefined && isLocal(address))
      .map(asChoice),
  ]);
  if (!addressKeyOf(provider)) return { provider };
  const usual = locals[provider] ?? "";
  const address = await askAddress(ask, "Its address?", usual);
  return address === usual ? { provider } : { provider, address };
}

function askAddress(ask: Ask, message: string, initial: string = "http://"): Promise<string> {
  return ask.text(message, { initial, check: wrongAddress });
}

function wrongAddress(text: string): string | undefined {
  try {
    providerAddress(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isLocal(address: string): boolean {
  return /^https?:\/\/(?:localhost|127\.)/.test(address);
}

function asChoice({ name, address }: ProviderOffer): Choice<string> {
  return { value: name, label: name, hint: address };
}
