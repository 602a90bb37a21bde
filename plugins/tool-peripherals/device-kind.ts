/** What stands in the way of a device, in words: the cause, and the cure. */
export interface Obstacle {
  readonly cause: string;
  readonly cure: string;
  /** The user may not open it. */
  readonly denied?: true;
}

export type DeviceKind = "serial" | "gpio";

/** Who usually may: the group that systems give such devices to. */
export const usualGroup: Readonly<Record<DeviceKind, string>> = { serial: "dialout", gpio: "gpio" };
