import path from "node:path";
import { readJson, root } from "./packages.ts";

/** The facts of package.json about Gantry, as packages of other systems ask for them. */
export interface Product {
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly license: string;
  /** The description in a few words, with neither article nor full stop. */
  readonly summary: string;
}

export function product(): Product {
  const facts = readJson(path.join(root, "package.json")) as unknown as Omit<Product, "summary">;
  const summary = facts.description.replace(/^An? /, "").replace(/[:.].*$/s, "");
  return { ...facts, summary };
}
