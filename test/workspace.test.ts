import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, root } from "./helpers/cli.ts";
import { startModel, type ModelServer } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

function configOf({ provider }: ModelServer): string {
  return `default_provider = "${provider}"\ndefault_model = "m"\n[providers.custom]\nmax_retries = 0\n`;
}

test("AGT-12: agent -C works where the person stands, for this run only, and what it changed can be taken back there", async () => {
  const write = { calls: [{ name: "file_write", args: { path: "made", content: "x" } }] };
  await using model = await startModel(write, "Done.", write, "Done.");
  using home = tempDir(configOf(model));
  using project = tempDir("");
  const folder = path.join(project.dir, "project");
  mkdirSync(folder);
  const run = { dir: home.dir, cwd: folder };
  expect(await gantry(["agent", "-C", ".", "--yes", "-m", "write"], run)).toMatchObject({
    code: 0,
    out: "Done.\n",
  });
  expect(readFileSync(path.join(folder, "made"), "utf8")).toBe("x");
  expect(await gantry(["agent", "--yes", "-m", "write"], run)).toMatchObject({ code: 0 });
  expect(readFileSync(path.join(home.dir, "workspace/made"), "utf8")).toBe("x");

  expect(await gantry(["undo"], run)).toMatchObject({
    code: 0,
    out: expect.stringContaining("workspace/made"),
  });
  expect(await gantry(["undo"], run)).toMatchObject({
    code: 1,
    err: expect.stringContaining("UNDO_ELSEWHERE"),
  });
  expect(await gantry(["undo", "-C", folder], run)).toMatchObject({ code: 0 });
  expect(await gantry(["undo", "--list"], run)).toMatchObject({
    code: 0,
    out: "There is no change of a tool to take back.\n",
  });
});

test("AGT-12: the workspace is never the configuration directory, its own folders, Gantry's own files, or none", async () => {
  await using model = await startModel("Hello.");
  using home = tempDir(configOf(model));
  const at = (name: string): string => path.join(realpathSync(home.dir), name);
  mkdirSync(at("undo"));
  writeFileSync(at("file"), "");
  symlinkSync(home.dir, at("link"));
  const said = async (folder: string): Promise<readonly [number | null, string]> => {
    const { code, err } = await gantry(["agent", "-C", folder, "-m", "x"], { dir: home.dir });
    return [code, err.trim()];
  };
  for (const folder of [home.dir, at("undo"), at("link")])
    expect(await said(folder)).toEqual([
      2,
      expect.stringContaining("belongs to the configuration directory"),
    ]);
  for (const folder of [root, "/", path.join(root, "host/dist")])
    expect(await said(folder)).toEqual([2, expect.stringContaining("holds Gantry's own files")]);
  for (const folder of [at("missing"), at("file"), ""])
    expect(await said(folder)).toEqual([2, expect.stringContaining("WORKSPACE_MISSING")]);
  expect((await said(at("workspace")))[0]).toBe(0);
  expect(model.requests.length).toBe(1);

  writeFileSync(home.file, `${configOf(model)}[security]\nworkspace_path = "${root}"\n`);
  expect(await gantry(["agent", "-m", "x"], { dir: home.dir })).toMatchObject({
    code: 2,
    err: expect.stringContaining("WORKSPACE_UNSAFE"),
  });
});
