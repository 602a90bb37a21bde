import path from "node:path";
import type { CheckRow } from "@gantry/sdk";
import { isExecutable, nodeProgram } from "@gantry/sdk/node";
import { runtimeVerdict } from "../shared/runtime-floors.ts";

/** Tells which Node runs, and which one to install if the table of floors names a hole of it. */
export function checkRuntime(
  gantry: string,
  node: string = process.versions.node,
  isCarried: boolean = carriesNode(),
): CheckRow {
  const { state, install, said } = runtimeVerdict(node);
  const what = "node";
  const detail = `v${node}, Gantry ${gantry}`;
  if (state === "patched") return { what, state: "ok", detail };
  const how = isCarried ? "Update Gantry to a release that brings" : "Install";
  const cure = `${how} Node ${install} or newer; \`gantry doctor\` lists each.`;
  return { what, state: "warn", detail: `${detail}: ${said}`, cure };
}

/** Returns true if Node came with Gantry: inside the executable, or as a package. */
function carriesNode(): boolean {
  return isExecutable() || nodeProgram.includes(`${path.sep}node_modules${path.sep}`);
}

/** Tells each hole of the Node that runs, with what Gantry does about it meanwhile. */
export function checkHoles(node: string = process.versions.node): readonly CheckRow[] {
  return runtimeVerdict(node).holes.map(({ ids, opens, meanwhile }) => ({
    what: "node",
    state: "warn",
    detail: `${ids.join(", ")}: ${opens}`,
    cure: meanwhile,
  }));
}
