import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { closed, lives, openedName } from "./process.ts";

test("CHA-06: a process lives while it runs under its name, by its number alone where nobody can tell when it started", async () => {
  const child = spawn("sleep", ["600"]);
  try {
    const start = execFileSync("cut", ["-d", " ", "-f", "22", `/proc/${child.pid}/stat`], {
      encoding: "utf8",
    }).trim();
    expect([
      lives(`${child.pid}.${start}.1`),
      lives(`${child.pid}.${Number(start) - 1}.1`),
      lives(`${child.pid}.0.1`),
    ]).toEqual([true, false, true]);
  } finally {
    child.kill("SIGKILL");
  }
  await once(child, "exit");
  expect(lives(`${child.pid}.0.1`)).toBe(false);
  const own = openedName();
  expect(lives(own)).toBe(true);
  closed(own);
  expect(lives(own)).toBe(false);
});
