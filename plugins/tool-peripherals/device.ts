import type { Stats } from "node:fs";
import { readdir, readFile, readlink, realpath, stat } from "node:fs/promises";
import { isatty } from "node:tty";
import { fstatSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { type DeviceKind, type Obstacle, usualGroup } from "./device-kind.ts";
import { hasOwnDevices, hidden } from "./hidden.ts";

const noun: Readonly<Record<DeviceKind, string>> = { serial: "serial port", gpio: "GPIO chip" };
/** The kernel's majors of pseudo terminals, which have no entry in sysfs. */
const PTY_MAJORS = { first: 136, last: 143 };
const MAX_SHOWN = 5;

/**
 * Returns the obstacle that shows before a path is opened; undefined if there is none. Opens
 * nothing.
 */
export async function obstacleAt(device: string, kind: DeviceKind): Promise<Obstacle | undefined> {
  let found: Stats;
  try {
    found = await stat(device);
  } catch (error) {
    return missing(device, error as NodeJS.ErrnoException, kind);
  }
  const wrong = { cure: `name a ${noun[kind]} in config.toml` };
  if (!found.isCharacterDevice()) return { cause: "it is no device at all", ...wrong };
  if (isOwnTerminal(found)) return { cause: "it is the terminal that this runs in", ...wrong };
  const subsystem = await subsystemOf(found);
  if (subsystem === undefined || isUsable(subsystem, kind, found)) return undefined;
  return { cause: `it is no ${noun[kind]} (the kernel has it under ${subsystem})`, ...wrong };
}

async function missing(
  device: string,
  { code = "" }: NodeJS.ErrnoException,
  kind: DeviceKind,
): Promise<Obstacle> {
  if (code === "EACCES") return { cause: "its folder is closed to this user", cure: "open the folder" };
  if (code !== "ENOENT" && code !== "ENOTDIR")
    return { cause: `it cannot be looked at (${code})`, cure: "check the path" };
  if (device.startsWith("/dev/") && (await hasOwnDevices("self"))) return hidden(device, kind);
  const others = await present(kind);
  const there = others.length > 0 ? `, or name one that is there: ${others.join(", ")}` : "";
  return { cause: "there is no such device", cure: `plug it in and check the path${there}` };
}

/**
 * Devices of the kind that this machine has, by the names that outlive a replug where there are
 * such; at most five.
 */
export async function present(kind: DeviceKind): Promise<readonly string[]> {
  const found =
    kind === "gpio"
      ? (await list("/dev")).filter((name) => /^gpiochip\d+$/.test(name)).map((name) => `/dev/${name}`)
      : await serialPorts();
  return found.slice(0, MAX_SHOWN);
}

/** Read from folders alone: udev need not be installed. */
async function serialPorts(): Promise<readonly string[]> {
  const named = await list("/dev/serial/by-id");
  if (named.length > 0) return named.map((name) => `/dev/serial/by-id/${name}`);
  const ports = await Promise.all(
    (await list("/sys/class/tty")).map(async (name) => ((await isHardware(name)) ? [`/dev/${name}`] : [])),
  );
  return ports.flat();
}

/**
 * Virtual consoles have no device behind them, and a UART of type 0 is a socket that nothing is
 * soldered to.
 */
async function isHardware(name: string): Promise<boolean> {
  const folder = path.join("/sys/class/tty", name);
  if (!(await list(folder)).includes("device")) return false;
  const type = await readFile(path.join(folder, "type"), "utf8").catch(() => "");
  return type.trim() !== "0";
}

async function list(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).toSorted();
}

/** Returns the words for a device that the user may not open. */
export async function denied(device: string, kind: DeviceKind): Promise<Obstacle> {
  const found = await stat(device).catch(() => undefined);
  const group = await groupOf(found, usualGroup[kind]);
  const cause = "this user may not open it";
  const who = userInfo().username;
  const cure = `add the user to the group ${group} (\`sudo usermod -aG ${group} ${who}\`) and log in again`;
  return { cause, cure, denied: true };
}

/** The group that may read and write the device; the usual one where it is for root alone. */
async function groupOf(found: Stats | undefined, usual: string): Promise<string> {
  if (!found || found.gid === 0 || (found.mode & 0o060) !== 0o060) return usual;
  const groups = await readFile("/etc/group", "utf8").catch(() => "");
  const line = groups.split("\n").find((text) => text.split(":")[2] === String(found.gid));
  return line?.split(":")[0] ?? usual;
}

/**
 * Which other processes have the device open, as far as they may be seen: `process 12 (minicom)`.
 */
export async function holders(device: string): Promise<string> {
  const target = await realpath(device).catch(() => device);
  const found: string[] = [];
  for (const pid of (await list("/proc")).filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`)) {
    const folder = `/proc/${pid}/fd`;
    const links = await Promise.all(
      (await list(folder)).map((fd) => readlink(path.join(folder, fd)).catch(() => "")),
    );
    if (!links.includes(target)) continue;
    const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
    found.push(`process ${pid} (${name.trim()})`);
  }
  return found.length > 0 ? found.slice(0, MAX_SHOWN).join(", ") : "another program";
}

function isOwnTerminal({ rdev }: Stats): boolean {
  return [0, 1, 2].some((fd) => isatty(fd) && fstatSync(fd).rdev === rdev);
}

/**
 * Returns the kernel's own word for a device: `tty`, `gpio`, `mem`; undefined if the kernel does
 * not tell.
 */
async function subsystemOf({ rdev }: Stats): Promise<string | undefined> {
  const link = await readlink(`/sys/dev/char/${majorOf(rdev)}:${minorOf(rdev)}/subsystem`).catch(() => "");
  if (link !== "") return path.basename(link);
  return (await list("/sys/dev/char")).length > 0 ? "no class" : undefined;
}

/** A virtual console or the controlling terminal is a tty and no port. */
function isUsable(subsystem: string, kind: DeviceKind, { rdev }: Stats): boolean {
  if (kind === "gpio") return subsystem === "gpio";
  const major = majorOf(rdev);
  if (major >= PTY_MAJORS.first && major <= PTY_MAJORS.last) return true;
  const isConsole = major === 5 || (major === 4 && minorOf(rdev) < 64);
  return subsystem === "tty" && !isConsole;
}

/** As glibc splits a device number. */
function majorOf(rdev: number): number {
  return Number((BigInt(rdev) >> 8n) & 0xfffn);
}

function minorOf(rdev: number): number {
  return Number((BigInt(rdev) & 0xffn) | ((BigInt(rdev) >> 12n) & 0xfff00n));
}
