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
      writeFileSync(holder, `${process.pid} ${startOf(process.pid)}`, { flag: "wx" });
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

/** Whether the process that a file names still runs. */
function isAlive(file) {
  try {
    const [pid, start] = readFileSync(file, "utf8").split(" ");
    // Not written yet, unless whoever made it was killed right then.
    if (!start) return Date.now() - statSync(file).mtimeMs < 10_000;
    return startOf(pid) === start;
  } catch {
    return false;
  }
}

/** When a process began, so that another one with its number is told apart; empty where it has ended. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? "" : rest[18];
  } catch {
    if (existsSync("/proc/self/stat")) return "";
  }
  try {
    process.kill(Number(pid), 0);
    return "some time ago";
  } catch (error) {
    return error.code === "ESRCH" ? "" : "some time ago";
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
