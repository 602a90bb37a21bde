// Installs and builds what is missing, and nothing else; runs before `npm start` and `npm test`, on any Node that npm runs on.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const installed = path.join(root, "node_modules/.cache/installed");
const built = path.join(root, "host/dist/.built");

const wanted = createHash("sha256")
  .update(readFileSync(path.join(root, "package-lock.json")))
  .digest("hex");

const isInstalled = () => existsSync(installed) && readFileSync(installed, "utf8") === wanted;
const isBuilt = () =>
  existsSync(built) && newest(["sdk", "host", "plugins", ".ci"]) <= statSync(built).mtimeMs;

if (!isInstalled() || !isBuilt()) alone(prepare);

function prepare() {
  if (!isInstalled()) {
    // Not `npm ci`: it refuses a lock file that lacks packages for other platforms, which a registry may not hold at all.
    npm("installing packages", ["install", "--no-save", "--ignore-scripts", "--loglevel=error"]);
    writeFileSync(installed, wanted);
  }
  if (!isBuilt()) {
    const began = new Date();
    npm("building", ["run", "build", "--silent"]);
    writeFileSync(built, "");
    // What changed meanwhile is not in it.
    utimesSync(built, began, began);
  }
}

/** Whoever comes while another process prepares the same folder waits, and finds it done. */
function alone(work) {
  const holder = path.join(root, "node_modules/.cache/preparing");
  mkdirSync(path.dirname(holder), { recursive: true });
  for (;;) {
    try {
      writeFileSync(holder, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (isAlive(holder)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      else rmSync(holder, { force: true });
    }
  }
  process.once("exit", () => rmSync(holder, { force: true }));
  work();
}

/** Nothing here takes so long: the number of a process that was killed may be another's by now. */
const longestMs = 20 * 60_000;

/** Whether the process that a file names still runs. */
function isAlive(file) {
  try {
    if (Date.now() - statSync(file).mtimeMs > longestMs) return false;
    const pid = Number(readFileSync(file, "utf8"));
    // Not written yet.
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

function npm(what, args) {
  process.stderr.write(`gantry: ${what} (once)…\n`);
  const { npm_execpath: cli } = process.env;
  const [program, first] = cli ? [process.execPath, [cli]] : ["npm", []];
  const { status } = spawnSync(program, [...first, ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** When a source file was last changed, in ms. */
function newest(folders) {
  let latest = statSync(path.join(root, "package-lock.json")).mtimeMs;
  for (const folder of folders) {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      if (entry.name === "dist" || entry.name === "node_modules") continue;
      // No test is built, but those that new plugins begin with.
      if (/\.test(?:-kit)?\.ts$/.test(entry.name) && !folder.includes("template")) continue;
      const at = path.join(folder, entry.name);
      latest = Math.max(latest, entry.isDirectory() ? newest([at]) : statSync(path.join(root, at)).mtimeMs);
    }
  }
  return latest;
}
