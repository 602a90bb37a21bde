import { access, constants } from "node:fs/promises";
import { GantryError, type Check, type CheckRow } from "@gantry/sdk";
import { readRunning } from "@gantry/sdk/node";
import { denied, obstacleAt } from "./device.ts";
import { GpioChip } from "./gpio-chip.ts";
import { hasOwnDevices, hidden } from "./hidden.ts";
import type { SerialDevice } from "./serial-device.ts";

/**
 * A row for each device. No serial port is opened, since that resets many a board; a chip is, and
 * no line of it.
 */
export function peripheralChecks(
  serial: readonly SerialDevice[],
  gpio: readonly GpioChip[],
  configDir: string,
): readonly Check[] {
  const run = async (): Promise<readonly CheckRow[]> => {
    const rows = await Promise.all([...serial.map(serialRow), ...gpio.map(gpioRow)]);
    const hiding = (await isHidden(configDir)) ? [...serial, ...gpio].map(hiddenRow) : [];
    return [...rows, ...hiding];
  };
  return [
    { name: "peripherals-status", kind: "status", run },
    { name: "peripherals", kind: "doctor", run },
  ];
}

/** Returns true if the running service sees less than the process that asks. */
async function isHidden(configDir: string): Promise<boolean> {
  const running = await readRunning(configDir);
  if (!running || (await hasOwnDevices("self"))) return false;
  return (await hasOwnDevices(running.pid)) === true;
}

function hiddenRow(device: SerialDevice | GpioChip): CheckRow {
  const { name, path } = device.settings;
  const { cause, cure } = hidden(path, device instanceof GpioChip ? "gpio" : "serial");
  return { what: `peripheral ${name}`, state: "fail", detail: `${path}: ${cause}`, cure };
}

async function serialRow({ settings: { name, path, baud }, isOpen }: SerialDevice): Promise<CheckRow> {
  const what = `peripheral ${name}`;
  if (isOpen) return { what, state: "ok", detail: `${path} is open at ${baud} baud` };
  const wrong =
    (await obstacleAt(path, "serial")) ?? ((await mayUse(path)) ? undefined : await denied(path, "serial"));
  if (!wrong) return { what, state: "ok", detail: `${path} is there, at ${baud} baud` };
  return { what, state: "fail", detail: `${path}: ${wrong.cause}`, cure: wrong.cure };
}

async function mayUse(path: string): Promise<boolean> {
  return access(path, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function gpioRow(chip: GpioChip): Promise<CheckRow> {
  const { name, path, lines } = chip.settings;
  const what = `peripheral ${name}`;
  try {
    const { label, taken } = await chip.describe();
    const detail = `${path} (${label}) with ${[...lines.keys()].join(", ")}`;
    if (taken.length === 0) return { what, state: "ok", detail };
    const cure = "right if that is the running service; else end what uses it";
    return { what, state: "warn", detail: `${detail}; ${taken.join("; ")}`, cure };
  } catch (error) {
    if (!(error instanceof GantryError)) throw error;
    return { what, state: "fail", detail: error.message };
  }
}
