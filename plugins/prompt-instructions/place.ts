import { type as systemName, arch } from "node:os";

/** Where and when the conversation began: fixed for the session, so that the prompt keeps its bytes. */
export function placeText(workspace: string, began: number): string {
  return [
    `The conversation began on ${dayOf(began)}, time zone ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`,
    `The machine runs ${systemName()} on ${arch()}. The workspace is ${workspace}.`,
  ].join(" ");
}

/** What the day is, where it is another one than when the person spoke before. */
export function dateNote(before: number, now: number): string | undefined {
  return dayOf(before) === dayOf(now) ? undefined : `[Today is ${dayOf(now)}.]`;
}

/** `Sunday, 2026-11-22`, where this machine is. */
function dayOf(at: number): string {
  const date = new Date(at);
  const numbers = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  const weekday = date.toLocaleDateString("en", { weekday: "long" });
  return `${weekday}, ${numbers.map((part) => String(part).padStart(2, "0")).join("-")}`;
}
