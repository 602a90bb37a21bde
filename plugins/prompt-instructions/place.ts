import { readlinkSync } from "node:fs";
import { type as systemName, arch } from "node:os";

// To ask `Intl` for a name of a day or of the zone costs a fifteenth of a start.
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/**
 * Returns the place and time at which the conversation began: fixed for the session, so that the
 * prompt keeps its bytes.
 */
export function placeText(workspace: string, began: number): string {
  return [
    `The conversation began on ${dayOf(began)}, time zone ${timeZone()}.`,
    `The machine runs ${systemName()} on ${arch()}. The workspace is ${workspace}.`,
  ].join(" ");
}

/** Returns the date, if it differs from that of the person's last message. */
export function dateNote(before: number, now: number): string | undefined {
  return dayOf(before) === dayOf(now) ? undefined : `[Today is ${dayOf(now)}.]`;
}

/** `Sunday, 2026-11-22`, where this machine is. */
function dayOf(at: number): string {
  const date = new Date(at);
  const numbers = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${weekdays[date.getDay()]}, ${numbers.map((part) => String(part).padStart(2, "0")).join("-")}`;
}

function timeZone(): string {
  return linkedZone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the name of the system's own zone, if nothing else is in force. */
function linkedZone(): string | undefined {
  if (process.env["TZ"] !== undefined) return undefined;
  try {
    return /\/zoneinfo\/(?:posix\/|right\/)?([\w+/-]+)$/.exec(readlinkSync("/etc/localtime"))?.[1];
  } catch {
    return undefined;
  }
}
