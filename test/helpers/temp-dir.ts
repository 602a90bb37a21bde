import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * A configuration directory of its own, with a config.toml where `toml` is given; removed with
 * `using`.
 */
export function tempDir(toml?: string): { readonly dir: string; readonly file: string } & Disposable {
  const dir = mkdtempSync(path.join(tmpdir(), "gantry-cli-"));
  const file = path.join(dir, "config.toml");
  if (toml !== undefined) writeFileSync(file, toml, { mode: 0o600 });
  return { dir, file, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}
