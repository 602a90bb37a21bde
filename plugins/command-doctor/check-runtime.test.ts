import { expect, test } from "vitest";
import { checkHoles, checkRuntime } from "./check-runtime.ts";

/** The width before the detail of a row: sign, the widest subject of most tables, spaces. */
const MARGIN = 2 + "discord connection".length + 2;

test("FLR-01: status names an older Node, what it is open to and the Node to install", () => {
  expect(checkRuntime("0.1.0", "24.21.0", false)).toEqual({
    what: "node",
    state: "warn",
    detail: "v24.21.0, Gantry 0.1.0: open to CVE-2026-111497 and 6 more",
    cure: "Install Node 24.22.1 or newer; `gantry doctor` lists each.",
  });
});

test("FLR-01: if Gantry brought the older Node, the cure is another release of Gantry", () => {
  const { cure } = checkRuntime("0.1.0", "24.21.0", true);
  expect(cure).toContain("Update Gantry to a release that brings Node 24.22.1 or newer");
});

test("FLR-01: a Node at its floor is right, in the words of before", () => {
  expect(checkRuntime("0.1.0", "26.12.1")).toEqual({
    what: "node",
    state: "ok",
    detail: "v26.12.1, Gantry 0.1.0",
  });
  expect(checkHoles("26.12.1")).toEqual([]);
});

test("FLR-01: doctor has a row for each hole of an older Node, with what Gantry does meanwhile", () => {
  const rows = checkHoles("24.21.0");
  expect(rows).toHaveLength(6);
  expect(rows[0]).toEqual({
    what: "node",
    state: "warn",
    detail: "CVE-2026-111497: code of whoever sends a body packed with Brotli 1.2.0",
    cure: "Gantry neither asks for Brotli nor decodes it.",
  });
});

test("FLR-01: the row of an older Node of a supported line takes at most 90 characters", () => {
  for (const node of ["22.19.0", "22.23.3", "24.21.0", "24.22.0", "26.12.0"])
    expect(MARGIN + checkRuntime("0.1.0", node).detail.length).toBeLessThanOrEqual(90);
});
