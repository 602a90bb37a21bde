import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Sandbox } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import sandbox from "./index.ts";
import { linux } from "./sandbox.test-kit.ts";

const none = new AbortController().signal;
const sha = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

test("AGT-08: a write hands back the old bytes, as far as they were asked for", async () => {
  await using t = await startTestHost({ plugins: [sandbox] });
  const { files } = t.slot(Sandbox);
  const file = path.join(t.runtime.workspace, "a/file");
  expect(await files.write(file, new Uint8Array([0xff, 0, 1]), none, { keepBytes: 10 })).toEqual({
    existed: false,
  });
  const { existed, before } = await files.write(file, "two", none, { keepBytes: 3 });
  expect([existed, [...(before ?? [])]]).toEqual([true, [0xff, 0, 1]]);
  expect(await files.write(file, "three", none, { keepBytes: 2 })).toEqual({ existed: true });
  expect(await files.write(file, "four", none)).toEqual({ existed: true });
  expect(readFileSync(file, "utf8")).toBe("four");
});

test("AGT-08: a file that does not hold what was expected is left as it is", async () => {
  await using t = await startTestHost({ plugins: [sandbox] });
  const { files } = t.slot(Sandbox);
  const file = path.join(t.runtime.workspace, "file");
  await files.write(file, "one", none, { expected: null });
  for (const expected of [null, sha("other"), sha("on")]) {
    await expect(files.write(file, "two", none, { expected })).rejects.toMatchObject({
      code: "FILE_CHANGED",
    });
    await expect(files.write(file, null, none, { expected })).rejects.toMatchObject({ code: "FILE_CHANGED" });
  }
  expect(readFileSync(file, "utf8")).toBe("one");
  await files.write(file, "two", none, { expected: sha("one") });
  expect(readFileSync(file, "utf8")).toBe("two");
  expect(await files.write(file, null, none, { expected: sha("two"), keepBytes: 9 })).toMatchObject({
    existed: true,
  });
  expect(existsSync(file)).toBe(false);
  await expect(files.write(file, "x", none, { expected: sha("two") })).rejects.toMatchObject({
    code: "FILE_CHANGED",
  });
});

test.runIf(linux)("SEC-05: nothing is removed outside the walls, by a link, or beside a file", async () => {
  await using t = await startTestHost({ plugins: [sandbox] });
  const { files } = t.slot(Sandbox);
  const at = (name: string): string => path.join(t.runtime.workspace, name);
  writeFileSync(path.join(t.configDir, "canary"), "");
  writeFileSync(at("file"), "");
  chmodSync(at("file"), 0o444);
  symlinkSync("file", at("link"));
  mkdirSync(at("folder"));
  for (const [name, code] of [
    ["../canary", "PATH_OUTSIDE"],
    ["link", "PATH_OUTSIDE"],
    ["folder", "FILE_FAILED"],
    ["missing", "FILE_MISSING"],
  ] as const)
    await expect(files.write(at(name), null, none)).rejects.toMatchObject({ code });
  expect(["../canary", "link", "folder", "file"].filter((name) => !existsSync(at(name)))).toEqual([]);
});
