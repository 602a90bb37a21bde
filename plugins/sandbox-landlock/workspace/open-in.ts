import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import type { ConfinedFacts } from "../messages.ts";

/** What of a workspace the walls leave open, relative to it; "" is all of it. */
export function openIn(root: string, walls: ConfinedFacts["walls"]): readonly string[] {
  const read = walls?.read ?? [root];
  if (read.some((one) => isInside(root, one))) return [""];
  return read.filter((one) => isInside(one, root)).map((one) => path.relative(root, one));
}
