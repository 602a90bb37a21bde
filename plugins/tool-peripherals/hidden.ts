import { readFile } from "node:fs/promises";
import { type DeviceKind, type Obstacle, usualGroup } from "./device-kind.ts";

/**
 * Returns true if a process has a /dev of its own instead of the machine's, as PrivateDevices= of a
 * system unit and containers give; undefined if the kernel does not tell, as for processes of
 * others.
 */
export async function hasOwnDevices(pid: number | "self"): Promise<boolean | undefined> {
  const mounts = await readFile(`/proc/${pid}/mountinfo`, "utf8").catch(() => undefined);
  // The last mount there is the one that is seen.
  const last = mounts?.split("\n").findLast((line) => line.split(" ")[4] === "/dev");
  return mounts === undefined ? undefined : last !== undefined && / - tmpfs /.test(last);
}

/** Returns the words for a device that is not in such a /dev. */
export function hidden(device: string, kind: DeviceKind): Obstacle {
  const unit = `PrivateDevices=no, DevicePolicy=closed, DeviceAllow=${device} rw and SupplementaryGroups=${usualGroup[kind]}`;
  return {
    cause:
      "the service has a /dev of its own, as system units and containers do, and the device is not in it",
    cure: `plug it in and let the unit see it (\`sudo systemctl edit gantry\`: [Service] with ${unit}), or hand it to the container (--device ${device}), and restart`,
  };
}
