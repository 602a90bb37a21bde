import type { CheckRow } from "@gantry/sdk";
import type { BlockedCommands } from "./blocked-commands.ts";
import type { Layers } from "./confinement.ts";

const NAMESPACES =
  "allow user namespaces: `sysctl user.max_user_namespaces=15000`; on Debian `kernel.unprivileged_userns_clone=1`; on Ubuntu the AppArmor profile examples/apparmor/gantry, which the .deb brings; for a container `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`; and install util-linux";
const VIEWS =
  "put workspace and configuration on one file system that is neither an overlay nor on a network, and leave all of the workspace open to commands; or set security.runs to direct";

/** The way in which runs work, and the reason why not in views. */
/** The feature that each Landlock level brought, with what stands in for it below. */
const BY_LEVEL = [
  [2, "moving files between folders is refused"],
  [3, "the filter refuses to shorten a file by its name"],
  [4, "the filter alone refuses network sockets"],
  [5, "device commands are bounded by the filter alone"],
  [6, "the process namespace alone keeps signals within a run"],
] as const;

export interface Tier {
  readonly wanted: "view" | "direct";
  /** Why there is no view, as far as that is known before a process tries. */
  readonly why: string | undefined;
  readonly autonomous: boolean;
  /** A phrase about the walls, the network and the limits. */
  readonly detail: string;
  readonly blocked: BlockedCommands;
}

/** Returns the row that says which tier holds, what is lost, and what would change it. */
export function tierRow(layers: Layers, tier: Tier): CheckRow {
  const lost = BY_LEVEL.filter(([level]) => layers.abi < level).map(([, what]) => what);
  const { notHeld } = tier.blocked;
  const { detail, ...row } = ofRuns(layers, tier);
  const parts = [
    detail,
    tier.detail,
    ...lost,
    ...(notHeld.length > 0 ? [`a guard alone reads for ${notHeld.join(", ")}`] : []),
  ];
  const old =
    lost.length > 0 && row.state === "ok" ? ({ state: "warn", cure: "use a newer kernel" } as const) : {};
  return { what: "sandbox", ...row, ...old, detail: parts.join("; ") };
}

function ofRuns(layers: Layers, { wanted, why, autonomous }: Tier): Omit<CheckRow, "what"> {
  const { noNamespaces, unseen } = layers;
  if (unseen)
    return {
      state: "fail",
      detail: `${unseen.path} cannot be looked through for secret files (${unseen.reason}), so no command runs`,
      cure: "remove it, or set workspace_path to another folder",
    };
  if (noNamespaces !== undefined)
    return {
      state: "warn",
      detail: `runs are direct, behind Landlock and a filter alone (${noNamespaces}): a command can read secret files of the workspace, so ${autonomous ? "only plain programs run, and what security.allow names" : "each asks a person"}`,
      cure: NAMESPACES,
    };
  const reason = why ?? layers.noViews;
  if (wanted === "view" && reason === undefined)
    return {
      state: "ok",
      detail:
        "runs are in views: what a command does is real once it has ended and was looked at; what was not taken over is told by `gantry runs list`",
    };
  const masked = `the kernel closes ${layers.masks} secret and guarded files that were there as a process for runs began; what a command adds stays, and a secret file that is saved again meanwhile can be read`;
  return wanted === "direct"
    ? { state: "ok", detail: `runs are direct, as security.runs says: ${masked}` }
    : {
        state: "warn",
        detail: `runs are direct, since there can be no views (${reason}): ${masked}`,
        cure: VIEWS,
      };
}
