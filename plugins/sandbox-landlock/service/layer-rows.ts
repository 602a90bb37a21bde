import type { CheckRow } from "@gantry/sdk";
import type { BlockedCommands } from "./blocked-commands.ts";
import type { Bounds } from "../config.ts";
import type { Layers } from "./confinement.ts";

/** The feature that each Landlock level brought, with what stands in for it below. */
const BY_LEVEL = [
  [2, "moving files between folders is refused"],
  [3, "the filter refuses to shorten a file by its name"],
  [4, "the filter alone refuses network sockets"],
  [5, "device commands are bounded by the filter alone"],
  [6, "the process namespace alone keeps signals within a run"],
] as const;

/**
 * Returns a row for each layer of the walls that is not the same everywhere: whether it holds here,
 * and its consequence.
 */
export function layerRows(
  layers: Layers,
  blocked: BlockedCommands,
  disk: Pick<Bounds, "max_file_mb" | "max_disk_mb" | "max_workspace_mb">,
): readonly CheckRow[] {
  return [
    landlock(layers),
    commands(blocked),
    {
      what: "sandbox: disk",
      state: "ok",
      detail: `a file has at most ${disk.max_file_mb} MiB; a run during which a disk that it may write to loses more than ${disk.max_disk_mb} MiB, or the workspace comes to hold more than ${disk.max_workspace_mb} MiB, is stopped within a moment`,
    },
  ];
}

function landlock({ abi }: Layers): CheckRow {
  const lost = BY_LEVEL.filter(([level]) => abi < level).map(([, what]) => what);
  const what = "sandbox: Landlock";
  if (lost.length === 0) return { what, state: "ok", detail: `level ${abi}` };
  return { what, state: "warn", detail: `level ${abi}: ${lost.join("; ")}`, cure: "use a newer kernel" };
}

function commands({ held, notHeld }: BlockedCommands): CheckRow {
  const parts = [
    `the kernel refuses ${held.length > 0 ? held.join(", ") : "none"} whoever starts them, by their names, through the loader or from a copy of the file`,
    ...(notHeld.length > 0
      ? [`it does not hold ${notHeld.join(", ")}, which a guard reads in the text of a command`]
      : []),
    "a copy brought from elsewhere, and a larger program that can do the same, is not held",
  ];
  return { what: "sandbox: blocked commands", state: "ok", detail: parts.join("; ") };
}
