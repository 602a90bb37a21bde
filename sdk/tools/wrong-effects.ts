import type { StatedEffects } from "./effects.ts";

const effectKeys: readonly string[] = ["paths", "commands", "urls", "recipients", "brings", "target"];
const sourceKeys: readonly string[] = ["material", "private"];

const noTarget = { shown: "", digest: "" };

/**
 * Returns what is wrong with effects that a tool states, as in "states effects %s", or undefined if
 * they are right. No guard would see what is written otherwise, and types do not reach plain
 * JavaScript.
 */
export function wrongEffects(stated: unknown): string | undefined {
  if (stated === undefined || stated === "unknown") return undefined;
  if (typeof stated !== "object" || stated === null || Array.isArray(stated)) return "that are no object";
  const unknown = Object.keys(stated).find((key) => !effectKeys.includes(key));
  if (unknown !== undefined) return `with \`${unknown}\`, which is none`;
  const { paths = [], brings = {}, target = noTarget, ...texts } = stated as StatedEffects;
  const list = Object.entries(texts).find(([, value]) => !isTexts(value));
  if (list) return `with ${list[0]} that are no list of texts`;
  const use = (paths as readonly unknown[]).find?.((value) => !isUse(value));
  if (!Array.isArray(paths) || use) return "with paths that lack path or access";
  const other = Object.entries(brings).find(([key, value]) => !sourceKeys.includes(key) || !isTexts(value));
  if (other) return `with brings.${other[0]}, which is no list of texts under material or private`;
  const isWhole = isTexts([target?.shown, target?.digest]);
  return isWhole ? undefined : "with a target that lacks shown or digest";
}

function isTexts(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((one) => typeof one === "string"));
}

function isUse(value: unknown): boolean {
  const { path: at, access } = (value ?? {}) as Record<string, unknown>;
  return typeof at === "string" && (access === "read" || access === "write");
}
