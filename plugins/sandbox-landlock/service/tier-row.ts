import type { CheckRow } from "@gantry/sdk";
import type { Layers } from "./confinement.ts";

const NAMESPACES =
  "allow user namespaces: `sysctl user.max_user_namespaces=15000`; on Debian `kernel.unprivileged_userns_clone=1`; on Ubuntu the AppArmor profile examples/apparmor/gantry, which the .deb brings; for a container `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`; and install util-linux";
const VIEWS =
  "put workspace and configuration on one file system that is neither an overlay nor on a network, and leave all of the workspace open to commands; or set security.runs to direct";

/** The way in which runs work, and the reason why not in views. */
export interface Tier {
  readonly wanted: "view" | "direct";
  /** Why there is no view, as far as that is known before a process tries. */
  readonly why: string | undefined;
  readonly autonomous: boolean;
}

/** Returns the row that says which tier holds, and what would change it. */
export function tierRow(layers: Layers, { wanted, why, autonomous }: Tier): CheckRow {
  const { noNamespaces, unseen } = layers;
  const what = "sandbox: runs";
  if (unseen)
    return {
      what,
      state: "fail",
      detail: `${unseen.path} cannot be looked through for secret files (${unseen.reason}), so no command runs`,
      cure: "remove it, or set workspace_path to another folder",
    };
  if (noNamespaces !== undefined)
    return {
      what,
      state: "warn",
      detail: `direct, behind Landlock and a filter alone (${noNamespaces}): a command can read secret files of the workspace, so ${autonomous ? "only plain programs run, and what security.allow names" : "each asks a person"}`,
      cure: NAMESPACES,
    };
  const reason = why ?? layers.noViews;
  if (wanted === "view" && reason === undefined)
    return {
      what,
      state: "ok",
      detail:
        "view: what a command does is real once it has ended and was looked at; what was not taken over is told by `gantry runs list`",
    };
  const masked = `the kernel closes ${layers.masks} secret and guarded files that were there as a process for runs began; what a command adds stays, and a secret file that is saved again meanwhile can be read`;
  return wanted === "direct"
    ? { what, state: "ok", detail: `direct, as security.runs says: ${masked}` }
    : {
        what,
        state: "warn",
        detail: `direct, since there can be no views (${reason}): ${masked}`,
        cure: VIEWS,
      };
}
