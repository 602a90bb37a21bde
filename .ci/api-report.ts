import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SDK_LEVEL } from "@gantry/sdk";

const root = path.join(import.meta.dirname, "..");

const rooms = [
  "contract",
  "messages",
  "turns",
  "tools",
  "models",
  "store",
  "security",
  "provider-kit",
  "channel-kit",
  "node",
  "testing",
];

/** Doors that pick names out of rooms; the others export their room. */
const doors = [
  { door: "@gantry/sdk", file: "index.ts" },
  { door: "@gantry/sdk/fill", file: "fill.ts" },
];

/** Returns the names of a door, a line for each file that they come from. */
function namesOf(file: string): string {
  const text = readFileSync(path.join(root, "sdk", file), "utf8");
  return [...text.matchAll(/\{([^{}]*)\} from "\.\/(.+)";/g)]
    .map(([, names = "", from = ""]) => {
      const list = names.split(",").map((name) => name.trim().replace(/^type /, ""));
      return `- ${from}: ${list.filter((name) => name !== "").join(", ")}`;
    })
    .join("\n");
}

/**
 * The sdk's whole public surface as the compiler declares it, docstrings included, a section for
 * each file.
 */
export function apiReport(): string {
  const out = mkdtempSync(path.join(tmpdir(), "gantry-api-"));
  try {
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    const options = [
      "-p",
      path.join(root, ".ci/sdk.tsconfig.json"),
      "--emitDeclarationOnly",
      "--outDir",
      out,
    ];
    execFileSync(process.execPath, [tsc, ...options], { cwd: root, stdio: "pipe" });
    const files = rooms.flatMap((room) => filesOf(out, room, room === "testing" ? 2 : 1));
    return `# The sdk's public surface

Level ${SDK_LEVEL}. Written by \`npm run reference\` from the declarations that the compiler makes of \`sdk/\`; a test holds it to the code, so
that no change of the surface goes unseen. What raises the level is said in [README.md](README.md#the-level).
${doors.map(({ door, file }) => `\n## The door \`${door}\`\n\n${namesOf(file)}\n`).join("")}
${files.map(([name, code]) => `\n## ${name}\n\n\`\`\`ts\n${code.trim()}\n\`\`\`\n`).join("")}`;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** The declarations in a folder, and down to `depth` below it. */
function filesOf(out: string, folder: string, depth: number): (readonly [string, string])[] {
  return readdirSync(path.join(out, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const at = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) return depth > 1 ? filesOf(out, at, depth - 1) : [];
      if (!at.endsWith(".d.ts") || entry.name === "index.d.ts") return [];
      return [[at.replace(/\.d\.ts$/, ".ts"), readFileSync(path.join(out, at), "utf8")] as const];
    });
}
