import { ProviderOffers } from "@gantry/sdk";
import { nearest } from "@gantry/sdk/node";
import { wrongAt, type SetUpHost } from "@gantry/host";
import { errors } from "../errors.ts";

/** An address that is never asked: what takes one after its name is a way to write a provider. */
const anyAddress = ":http://127.0.0.1/";

/** Throws if a table `[providers.<id>]` is for nobody, since its keys would do nothing. */
export async function checkProviderTables({ options, hooks, registry }: SetUpHost): Promise<void> {
  const { parts, text } = options.config;
  if (!hooks.list().some(({ hook }) => hook === "resolveProvider")) return;
  for (const id of idsIn(parts.values())) {
    if ((await answers(hooks, id)) || (await answers(hooks, `${id}${anyAddress}`))) continue;
    const meant = nearest(id, registry.get(ProviderOffers)?.keys() ?? []);
    const hint = meant ? ` (did you mean [providers.${meant}]?)` : "";
    const at = ["providers", id];
    throw wrongAt(at, errors.PROVIDER_TABLE_UNKNOWN(text.file, text.lineOf(at), id, hint));
  }
}

function idsIn(parts: Iterable<unknown>): ReadonlySet<string> {
  const tables = [...parts].map((part) => (part as { providers?: object } | undefined)?.providers ?? {});
  return new Set(tables.flatMap((table) => Object.keys(table)));
}

/** A provider that lacks a key or an address is one all the same. */
async function answers(hooks: SetUpHost["hooks"], provider: string): Promise<boolean> {
  try {
    return (await hooks.first({ provider, model: undefined })) !== undefined;
  } catch {
    return true;
  }
}
