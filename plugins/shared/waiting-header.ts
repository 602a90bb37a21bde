import type { RouteRequest } from "@gantry/sdk";

/** The header of a client that waits for a person who decides elsewhere. */
export const waitHeader = "X-Gantry-Approvals";

/**
 * Returns who decides what needs a person: somebody elsewhere if the client waits, else nobody;
 * undefined if the header holds a value that it does not have.
 */
export function approvalsOf(headers: RouteRequest["headers"]): "ask" | "none" | undefined {
  const [value] = [headers[waitHeader.toLowerCase()]].flat();
  if (value === undefined) return "none";
  return value === "wait" ? "ask" : undefined;
}
