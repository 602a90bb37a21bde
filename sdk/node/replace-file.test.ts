import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFile } from "./replace-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "gantry-replace-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("CFG-05: a file is replaced whole, by its owner alone unless another mode is asked for, and no draft stays", async () => {
  const file = path.join(folder, "a.json");
  writeFileSync(file, "old");
  await replaceFile(file, [Buffer.from("new "), Buffer.from("bytes")]);
  expect(readFileSync(file, "utf8")).toBe("new bytes");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await replaceFile(file, "unit", { mode: 0o644, durable: false });
  expect(statSync(file).mode & 0o777 & ~process.umask()).toBe(0o644 & ~process.umask());
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

test("CFG-05: twenty writers at once leave the text of one of them, whole", async () => {
  const file = path.join(folder, "a.json");
  const texts = Array.from({ length: 20 }, (_, n) => String(n).repeat(50_000));
  await Promise.all(texts.map((text) => replaceFile(file, text)));
  expect(texts).toContain(readFileSync(file, "utf8"));
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

test("CFG-05: what cannot be written leaves the old file and no draft", async () => {
  const taken = path.join(folder, "taken");
  mkdirSync(path.join(taken, "full"), { recursive: true });
  chmodSync(taken, 0o700);
  await expect(replaceFile(taken, "text")).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  expect(readdirSync(folder)).toEqual(["taken"]);
  await expect(replaceFile(path.join(folder, "no", "file"), "text")).rejects.toMatchObject({
    code: "ENOENT",
  });
});
