import { runtimeVerdict } from "../shared/runtime-floors.ts";
import type { Release } from "./release.ts";

/** Returns sentences on what the Node of a release is open to; an executable `carries` its own. */
export function runtimeOf({ node, refusals }: Release, carries: boolean): readonly string[] {
  // A release that refuses the configuration tells its reasons and nothing else.
  if (refusals.length > 0) return [];
  if (node === undefined)
    return carries
      ? ["It does not tell which Node it carries: run `gantry doctor` once it is installed."]
      : [];
  const { state, install, said } = runtimeVerdict(node);
  if (state === "patched") return [];
  const shown = state === "unknown" ? "a Node" : `Node ${node}`;
  return carries
    ? [`It carries ${shown}, ${said}: take an executable that is made of Node ${install} or newer.`]
    : [`It runs on ${shown} here, ${said}: install Node ${install} or newer.`];
}
