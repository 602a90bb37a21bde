import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runsWalled } from "../tool-web/taken-over.test-kit.ts";
import { tarball } from "../../test/helpers/tarball.ts";
import { place } from "./plugins.test-kit.ts";
import { readTarball } from "./read-tarball.ts";

const { signal } = new AbortController();

test.runIf(process.platform === "linux")(
  "FLR-02: plugins add has a tarball unpacked behind walls",
  { timeout: 120_000 },
  async () => {
    await using p = await place();
    const file = path.join(p.dir, "weather.tgz");
    const names = Array.from({ length: 4_000 }, (_, i) => ({ name: `package/${i}`, content: "x" }));
    const large = { name: "package/large", content: "x".repeat(48 * 1024 * 1024) };
    await writeFile(file, tarball([...names, large]));
    const adding = p.gantry("plugins", "add", file, "--yes");
    await expect.poll(() => runsWalled("tarball-worker"), { timeout: 60_000, interval: 2 }).toBe(true);
    expect((await adding).stderr).toContain("[PLUGINS_PACKAGE]");
  },
);

test("FLR-02: a name that leads out is refused whatever unpacked the tarball", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-unpacking-"));
  try {
    const said = JSON.stringify(`ready\n{"files":[["package/../../evil",1]]}\nx`);
    writeFileSync(path.join(folder, "tarball-worker.js"), `process.stdout.write(${said});`);
    const base = pathToFileURL(path.join(folder, "index.js")).href;
    const bytes = tarball([{ name: "package/package.json", content: "{}" }]);
    const read = readTarball("x", bytes, { base, sandbox: undefined }, signal);
    await expect(read).rejects.toMatchObject({
      code: "PLUGINS_TARBALL",
      message: expect.stringContaining("a name in it leads out of the package"),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
