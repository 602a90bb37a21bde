import * as grammar from "unbash";
import { expect, test } from "vitest";
import { blockedFrom } from "./blocked.ts";
import { cases } from "./cases.test-kit.ts";
import { doubtOf, refusalOf } from "./decide.ts";
import { readShell } from "./reading.ts";

const blocked = blockedFrom(["rm", "id", "curl", "who"]);
const isRefused = (command: string) => refusalOf(readShell(command, grammar), blocked) !== undefined;
const needsWalls = (command: string) => doubtOf(readShell(command, grammar)) !== undefined;

test("SEC-03: what bash would run of blocked commands is refused, and so is what steers others", () => {
  expect(cases.no.filter((command) => !isRefused(command))).toEqual([]);
});

test("SEC-04: what is known only at run time needs walls", () => {
  expect(cases["?"].filter((command) => !needsWalls(command))).toEqual([]);
});

test("SEC-03: ordinary text is not refused", () => {
  expect(cases.ok.filter(isRefused)).toEqual([]);
});
