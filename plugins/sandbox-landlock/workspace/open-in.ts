import path from "node:path";
import { isInside } from "@gantry/sdk/node";

/** Returns what of a workspace can be read, relative to it; "" is all of it. */
export function openIn(root: string, read: readonly string[] = [root]): readonly string[] {
  if (read.some((one) => isInside(root, one))) return [""];
  return read.filter((one) => isInside(one, root)).map((one) => path.relative(root, one));
}
