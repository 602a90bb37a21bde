import path from "node:path";
import type { StatedEffects } from "@gantry/sdk";
import { expandHome, isInside } from "@gantry/sdk/node";
import type { ServerSettings } from "./settings.ts";

const MAX_VALUES = 1_000;
const url = /^[a-z][a-z0-9+.-]{0,31}:\/\/\S/i;
const pathLike = /^(?:\/|~\/|\.{1,2}(?:\/|$)|[a-z]:[\\/])[^\n]*$/i;

/**
 * Returns what a call touches as far as its arguments tell: each that looks like an address or a
 * path, or whose schema says that it is one. Left out are the paths that its owner has opened to
 * this server alone, where walls hold it. A server that may write nothing reads at most; what it
 * answers is material from outside.
 */
export function statedEffects(
  settings: ServerSettings,
  schema: unknown,
  args: unknown,
): StatedEffects | "unknown" {
  const found = { urls: new Set<string>(), paths: new Set<string>() };
  let values = 0;
  const look = (value: unknown, format: unknown, at: unknown): void => {
    if ((values += 1) > MAX_VALUES) return;
    if (typeof value === "string") return take(value, format, found);
    if (typeof value !== "object" || value === null) return;
    const { properties, items } = Object(at) as Record<string, unknown>;
    for (const [key, item] of Object.entries(value)) {
      const schemas = Array.isArray(value) ? items : (Object(properties) as Record<string, unknown>)[key];
      look(item, (Object(schemas) as { format?: unknown }).format, schemas);
    }
  };
  look(args, undefined, schema);
  if (values > MAX_VALUES) return "unknown";
  const access = settings.kind === "stdio" && settings.write.length === 0 ? "read" : "write";
  return {
    urls: [...found.urls],
    paths: [...found.paths]
      .filter((written) => !isOpenedTo(settings, written))
      .map((written) => ({ path: written, access })),
    recipients: [`MCP server ${settings.name}`],
    brings: { material: [`MCP server ${settings.name}`], private: readsForOwner(settings) },
  };
}

/** A server that has files or credentials of the owner gives what is the owner's own. */
function readsForOwner(settings: ServerSettings): readonly string[] {
  const isTrusted =
    settings.kind === "stdio"
      ? settings.read.length + settings.write.length > 0
      : Object.keys(settings.headers).length > 0;
  return isTrusted ? [`MCP server ${settings.name}`] : [];
}

function isOpenedTo(settings: ServerSettings, written: string): boolean {
  if (settings.kind !== "stdio" || !/^[/~]/.test(written)) return false;
  const at = path.resolve(expandHome(written));
  return [...settings.read, ...settings.write].some((open) => isInside(at, path.resolve(expandHome(open))));
}

function take(
  value: string,
  format: unknown,
  { urls, paths }: { readonly urls: Set<string>; readonly paths: Set<string> },
): void {
  const text = value.trim();
  if (/^file:/i.test(text)) paths.add(decoded(text.replace(/^file:(?:\/\/[^/]*)?/i, "")));
  else if (url.test(text)) urls.add(text);
  else if (pathLike.test(text) || (format === "path" && text !== "")) paths.add(text);
  else if (format === "uri" && text !== "") urls.add(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
