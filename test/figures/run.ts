// `npm run figures [-- REVISION]`: the shape of the shipped code, beside that of an earlier commit.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isShipped, root, sourcesOf, type Source } from "../helpers/sources.ts";
import { figuresOf, type FileFigures } from "./code.ts";
import { spread } from "./spread.ts";
import { structureRow } from "./structure.ts";

const [revision] = process.argv.slice(2);

const rooms: readonly (readonly [string, RegExp])[] = [
  ["all", /^/],
  ["kernel", /^host\/(?!cli\/)/],
  ["command line", /^host\/cli\//],
  ["sdk", /^sdk\/(?!testing\/)/],
  ["plugins", /^plugins\//],
  ["sandbox-landlock", /^plugins\/sandbox-landlock\//],
];

const columns =
  "| code | files | lines | comments | characters per line of code | lines over 100 " +
  "| function median / p90 / max | functions over 40 lines | file median / p90 / max " +
  "| more than 4 parameters |";

const states = [
  ...(revision === undefined ? [] : [[revision, sourcesAt(revision)] as const]),
  ["now", shippedIn(root)] as const,
];
const measured = states.map(([name, list]) => [name, list.map(figuresOf)] as const);

console.log(`${columns}\n|${"---|".repeat(10)}`);
for (const [room, files] of rooms)
  for (const [state, list] of measured)
    console.log(
      codeRow(
        `${room}, ${state}`,
        list.filter(({ file }) => files.test(file)),
      ),
    );

console.log("\n| structure | imports | in circles | fan-out median / p90 / max | most imported |");
console.log(`|${"---|".repeat(5)}`);
for (const [state, list] of states) console.log(structureRow(state, list));

function shippedIn(folder: string): readonly Source[] {
  return sourcesOf(folder, ["sdk", "host", "plugins"]).filter(
    (source) => isShipped(source) && !source.file.startsWith("sdk/testing/"),
  );
}

/** Reads the files of a commit, unpacked beside the temporary files of this machine. */
function sourcesAt(commit: string): readonly Source[] {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-figures-"));
  try {
    const archive = spawnSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 });
    if (archive.status !== 0) throw new Error(String(archive.stderr).trim());
    spawnSync("tar", ["-x", "-C", folder], { input: archive.stdout });
    return shippedIn(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function codeRow(name: string, list: readonly FileFigures[]): string {
  const sum = (of: (file: FileFigures) => number): number => list.reduce((all, file) => all + of(file), 0);
  const lines = sum((file) => file.lines);
  const functions = list.flatMap((file) => file.functions);
  const percent = (part: number): string => `${((100 * part) / lines).toFixed(1)} %`;
  const cells = [
    name,
    list.length,
    lines.toLocaleString("en"),
    percent(sum((file) => file.commentLines)),
    (sum((file) => file.codeCharacters) / sum((file) => file.codeLines)).toFixed(1),
    percent(sum((file) => file.wideLines)),
    spread(functions),
    `${functions.filter((length) => length > 40).length} of ${functions.length}`,
    spread(list.map((file) => file.lines)),
    sum((file) => file.manyParameters),
  ];
  return `| ${cells.join(" | ")} |`;
}
