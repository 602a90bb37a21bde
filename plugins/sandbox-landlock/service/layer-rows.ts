import type { CheckRow } from "@gantry/sdk";
import type { BlockedCommands } from "./blocked-commands.ts";
import type { Bounds } from "../config.ts";
import type { Layers } from "./confinement.ts";
import { isWithheld } from "../workspace/withheld.ts";

/** What each Landlock level brought, with what stands in for it below. */
const BY_LEVEL = [
  [2, "moving files between folders is refused"],
  [3, "the filter refuses to shorten a file by its name"],
  [4, "the filter alone refuses network sockets"],
  [5, "device commands are bounded by the filter alone"],
  [6, "the supervisor or the process namespace alone keeps signals within a run"],
] as const;

const CURE =
  "allow unprivileged user namespaces to this user (user.max_user_namespaces, AppArmor, the container's settings) and install util-linux";

/** A line for each layer of the walls: whether it holds here, and what that means. */
export function layerRows(
  layers: Layers,
  blocked: BlockedCommands,
  disk: Pick<Bounds, "max_file_mb" | "max_disk_mb" | "max_workspace_mb">,
): readonly CheckRow[] {
  const { noNamespaces } = layers;
  const namespaces = (what: string, held: string, lost: string): CheckRow =>
    noNamespaces === undefined
      ? { what, state: "ok", detail: held }
      : { what, state: "warn", detail: `not held here (${noNamespaces}): ${lost}`, cure: CURE };
  return [
    {
      what: "sandbox: process",
      state: "ok",
      detail:
        "commands start from a process that holds no key and nothing of the service; one run at a time each",
    },
    namespaces(
      "sandbox: process ids",
      `each run has ids of its own: it names no other process, and all of it ends with its first one; /proc ${layers.processes ? "shows its own processes, and no more of the machine than processor, memory and time" : "is closed, since it tells of the network too, which this run shares"}`,
      "runs see the numbers of other processes; the supervisor judges each signal, and what a run leaves is ended by looking for it",
    ),
    namespaces(
      "sandbox: files outside",
      "what the walls do not allow has no name in there, not even its size or age; /tmp is the run's own",
      "contents stay closed, but size, age and mode of files outside can be asked for; each run's temporary files lie in a folder that no other run opens",
    ),
    masks(layers, namespaces),
    landlock(layers),
    {
      what: "sandbox: system calls",
      state: "ok",
      detail:
        "filtered: no tracing, no mounts, no kernel interfaces, no signals by descriptor, nothing newer than is known",
    },
    {
      what: "sandbox: domains",
      state: "ok",
      detail: "each run has a Landlock domain of its own, so none opens another's processes or pipes",
    },
    commands(blocked),
    {
      what: "sandbox: disk",
      state: "ok",
      detail: `a file has at most ${disk.max_file_mb} MiB; a run during which a disk that it may write to loses more than ${disk.max_disk_mb} MiB, or the workspace comes to hold more than ${disk.max_workspace_mb} MiB, is stopped within a moment`,
    },
  ];
}

/** The essential first, for whoever reads no further. */
function heldFiles({ masks: places, gated }: Layers): string {
  const meanwhile = gated
    ? "that command is stopped and opens nothing in the workspace from then on"
    : "that command is stopped, and can read the new one for a moment (only root is told before a file is opened)";
  return [
    `no command opens a secret file or changes a guarded one; the kernel closes ${places} such places now`,
    `If a secret file is saved anew while a command runs, ${meanwhile}`,
    "What it changed in that moment is kept as NAME.withheld-… until somebody renames it",
    "A file that gets a secret name, or a copy of a secret file, stays open to commands that began before",
    "It is taken out of what they say only where it stands there unchanged",
    "Guarded files that a command adds are set aside after it",
  ].join(". ");
}

function masks(layers: Layers, namespaces: (what: string, held: string, lost: string) => CheckRow): CheckRow {
  const row = namespaces(
    "sandbox: secret and guarded files",
    heldFiles(layers),
    "programs can read secret ones; what stands in them is taken out of results, and changes are undone after the run",
  );
  const withheld = layers.secret.filter(isWithheld);
  if (!layers.unseen && withheld.length > 0) {
    const detail = `${row.detail}; withheld since a secret file was saved anew: ${withheld.join(", ")}`;
    return { ...row, state: "warn", detail, cure: "look at each of them, then rename or remove it" };
  }
  if (!layers.unseen) return row;
  const { path, reason } = layers.unseen;
  return {
    ...row,
    state: "fail",
    detail: `${path} cannot be looked through for such files (${reason}), so no command runs`,
    cure: "remove it, or set workspace_path to another folder",
  };
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
