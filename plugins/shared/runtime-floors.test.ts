import { assert, constantFrom, integer, oneof, property, string, tuple } from "fast-check";
import { expect, test } from "vitest";
import { runtimeFloors, runtimeHoles, runtimeVerdict } from "./runtime-floors.ts";

test("FLR-01: the floors are 22.23.4, 24.22.1 and 26.12.1", () => {
  expect(runtimeFloors()).toEqual(["22.23.4", "24.22.1", "26.12.1"]);
});

test.each([
  ["22.23.4", "patched"],
  ["v24.22.1", "patched"],
  ["24.23.0", "patched"],
  ["26.12.1", "patched"],
  ["26.12.1+deb1", "patched"],
  ["27.0.0", "patched"],
  ["27.0.0-nightly20261101", "patched"],
  ["22.23.3", "old"],
  ["24.22.0", "old"],
  ["24.22.1-rc.1", "old"],
  ["24.9.0", "old"],
  ["26.0.0", "old"],
  ["20.20.2", "unsupported"],
  ["23.11.1", "unsupported"],
  ["25.9.9", "unsupported"],
  ["", "unknown"],
  ["24.22", "unknown"],
  ["24.22.1 ", "unknown"],
  ["lts", "unknown"],
])("FLR-01: Node `%s` is %s", (version, state) => {
  expect(runtimeVerdict(version).state).toBe(state);
});

test("FLR-01: an older Node is told by its holes and the version of its line to install", () => {
  const { holes, install, said } = runtimeVerdict("24.21.0");
  expect(holes).toEqual(runtimeHoles);
  expect(install).toBe("24.22.1");
  expect(said).toBe("open to CVE-2026-111497 and 6 more");
});

test("FLR-01: a line that never had a hole is not told of it", () => {
  const ids = runtimeVerdict("22.23.3").holes.flatMap((hole) => hole.ids);
  expect(ids).not.toContain("CVE-2026-105483");
  expect(ids).toContain("CVE-2026-106069");
});

test("FLR-01: a line that is not patched any more is sent on to the next one", () => {
  expect(runtimeVerdict("23.11.1")).toMatchObject({
    install: "24.22.1",
    said: "of a line that is not patched any more, open to CVE-2026-111497 and 6 more",
  });
  expect(runtimeVerdict("25.9.0").install).toBe("26.12.1");
});

test("FLR-01: any text has one verdict, with holes unless it is patched", () => {
  const part = integer({ min: 0, max: 40 });
  const version = tuple(constantFrom("", "v"), part, part, part, constantFrom("", "-rc.1", "+x", "-")).map(
    ([v, a, b, c, end]) => `${v}${a}.${b}.${c}${end}`,
  );
  assert(
    property(oneof(version, string(), string({ unit: "binary" })), (text) => {
      const { state, holes, install } = runtimeVerdict(text);
      expect(["patched", "old", "unsupported", "unknown"]).toContain(state);
      expect(holes.length === 0).toBe(state === "patched");
      expect(runtimeFloors()).toContain(install);
    }),
  );
});

test("FLR-01: within a line, a newer Node never has a hole that an older one has not", () => {
  const version = tuple(constantFrom(22, 24, 26), integer({ min: 0, max: 40 }), integer({ min: 0, max: 9 }));
  assert(
    property(version, integer({ min: 0, max: 40 }), ([line, minor, patch], more) => {
      const older = runtimeVerdict(`${line}.${minor}.${patch}`).holes;
      const newer = runtimeVerdict(`${line}.${minor + more}.${patch + (more === 0 ? 1 : 0)}`).holes;
      expect(newer.filter((hole) => !older.includes(hole))).toEqual([]);
    }),
  );
});
