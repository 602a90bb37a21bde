import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { startTestHost } from "@gantry/sdk/testing";
import sandbox from "../../plugins/sandbox-landlock/index.ts";
import files from "../../plugins/tool-files/index.ts";
import { median } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

const count = 50_000;
const rounds = 7;
const run = promisify(execFile);

/** Measures `file_search` against ripgrep, without which the machine gets no row. */
export async function searchRows(): Promise<readonly Row[]> {
  const isThere = await run("rg", ["--version"]).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    process.stderr.write("search: left out, since ripgrep (rg) is not installed\n");
    return [];
  }
  await using host = await startTestHost({ plugins: [sandbox, files] });
  const { workspace } = host.runtime;
  for (let n = 0; n < count; n += 1) {
    const folder = path.join(workspace, `d${n % 500}`);
    if (n < 500) mkdirSync(folder);
    writeFileSync(path.join(folder, `f${n}.txt`), `the first line\nnumber ${n} of all\nthe last\n`);
  }
  const pattern = "number 4999[0-9] of";
  const times: [number[], number[]] = [[], []];
  for (let n = -1; n < rounds; n += 1)
    for (const [i, search] of [
      () => host.call("file_search", { pattern }),
      () => run("rg", ["--line-number", pattern, workspace]),
    ].entries()) {
      const began = performance.now();
      await search();
      if (n >= 0) times[i]!.push(performance.now() - began);
    }
  const ratio = median(times[0]) / median(times[1]);
  return [atMost(`file_search in ${count} files, against ripgrep`, ratio, 3, "x")];
}
