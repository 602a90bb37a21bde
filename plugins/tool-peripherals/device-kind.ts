/** An obstacle between a user and a device, in words: the cause, and the cure. */
export interface Obstacle {
  readonly cause: string;
  readonly cure: string;
  /** The user may not open it. */
  readonly denied?: true;
}

export type DeviceKind = "serial" | "gpio";

/** The group that systems usually give such devices to. */
export const usualGroup: Readonly<Record<DeviceKind, string>> = { serial: "dialout", gpio: "gpio" };
