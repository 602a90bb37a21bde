import type { Element, ViewElement } from "./browser.ts";
import type { WebDriverCalls } from "./webdriver-calls.ts";
import { LOOK_AT } from "./webdriver-scripts.ts";

/** The key under which a driver writes a reference to an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** A name that stands for itself in a path; a page's script can make one up. */
const NAME = /^(?!\.+$)[\w.-]+$/;

/** An element as a driver names it. */
export interface Found {
  readonly element: Readonly<Record<string, string>>;
  readonly frame: number | undefined;
}

/** As a script in the page gives it. */
export interface Given {
  readonly element?: Readonly<Record<string, unknown>> | null;
  readonly value: unknown;
}

/** Returns undefined if no driver would write such a reference. */
export function foundIn({ element }: Given, frame: number | undefined): Found | undefined {
  const name = element?.[ELEMENT];
  return typeof name === "string" && NAME.test(name) ? { element: { [ELEMENT]: name }, frame } : undefined;
}

export const pathOf = ({ element }: Found): string => `/element/${encodeURIComponent(element[ELEMENT]!)}`;

/** As the accessibility tree of the browser has it. */
export async function nameOf(calls: WebDriverCalls, found: Found, value: string): Promise<ViewElement> {
  const [role, name] = await Promise.all(
    ["computedrole", "computedlabel"].map((what) => calls.call("GET", `${pathOf(found)}/${what}`)),
  );
  const plain = { role: String(role), name: String(name) };
  return value === "" ? plain : { ...plain, value };
}

/** As it is now, in the frame that the driver is in. */
export async function lookAt(calls: WebDriverCalls, found: Found): Promise<Element> {
  const { role, name } = await nameOf(calls, found, "");
  const asked = { script: LOOK_AT, args: [found.element] };
  const { at, leadsTo, method, state } = await calls.call("POST", "/execute/sync", asked);
  const known = {
    ...(leadsTo !== null && { leadsTo: String(leadsTo) }),
    ...(method !== null && { method: String(method) }),
  };
  return { role, name, at: String(at), ...known, key: `${found.element[ELEMENT]} ${state}` };
}
