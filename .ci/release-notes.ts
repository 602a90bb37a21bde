import { runtimeVerdict } from "../plugins/shared/runtime-floors.ts";
import type { NodeBinary } from "./node-binary.ts";

/** The file of a release that tells which Node each executable carries. */
export const notesName = "RELEASE-NOTES.txt";

/** Returns the text of that file, and the lines of it that warn. */
export function releaseNotes(
  version: string,
  nodes: readonly Pick<NodeBinary, "processor" | "version">[],
): { readonly text: string; readonly warnings: readonly string[] } {
  const lines = nodes.map(({ processor, version: node }) => {
    const { state, said, install, holes } = runtimeVerdict(node);
    const carries = `gantry-linux-${processor} carries Node ${node}`;
    if (state === "patched") return { warns: false, text: `${carries}.` };
    const told = holes.map(({ ids, opens, meanwhile }) => `  ${ids.join(", ")}: ${opens}. ${meanwhile}`);
    const first = `${carries}, ${said}. Node ${install} is not.`;
    return { warns: true, text: [first, ...told].join("\n") };
  });
  const warnings = lines.filter(({ warns }) => warns).map(({ text }) => text);
  return { text: `Gantry ${version}\n\n${lines.map(({ text }) => `${text}\n`).join("\n")}`, warnings };
}
