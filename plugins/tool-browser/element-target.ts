import { createHash } from "node:crypto";
import type { Target } from "@gantry/sdk";
import type { Element, Still } from "./browser.ts";
import { errors } from "./errors.ts";

/** Bounds of a name, and of an address. */
const MAX_NAME = 200;
const MAX_ADDRESS = 500;

/**
 * Returns the words that a person is told of an element, and that an action is held to. The page's
 * own words stand in quotes.
 */
export function targetOf(element: Element): Target {
  const { role, name, at, leadsTo, method } = element;
  const how = method === undefined || method === "GET" ? "" : ` by ${method}`;
  const leads = leadsTo === undefined ? "" : `, which leads to ${JSON.stringify(short(leadsTo))}${how}`;
  const called = JSON.stringify(short(name, MAX_NAME));
  const shown = `the ${JSON.stringify(short(role, MAX_NAME))} ${called} of ${JSON.stringify(short(at))}${leads}`;
  return { shown, digest: digestOf(element) };
}

/** If nothing was decided on, nothing is acted on. */
export function stillThe(target: Target | undefined): Still {
  return (now) => {
    if (target?.digest !== digestOf(now)) throw errors.BROWSER_CHANGED();
  };
}

/**
 * A page may well change its address while something is typed: that is held apart, as an address of
 * the call.
 */
function digestOf({ role, name, leadsTo, method, key }: Element): string {
  return createHash("sha256")
    .update(JSON.stringify([role, name, leadsTo, method, key]))
    .digest("hex");
}

export function short(text: string, max: number = MAX_ADDRESS): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > max ? `${flat.slice(0, max)}…` : flat;
}
