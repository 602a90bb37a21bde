import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "./helpers/cli.ts";
import { canMakeMachines, FreshMachine, freshRoot } from "./helpers/fresh-machine.ts";
import { packed } from "./helpers/package.ts";

const runs = process.env["GANTRY_LONG"] !== undefined && canMakeMachines;
let work = "";
const layer = (name: string): string => path.join(work, name);

/**
 * The first steps of a new user, with `gantry` standing for the way it is called; each step says
 * that it went well.
 */
const firstHour = `
set -u
gantry onboard --provider demo --workspace /root/desk --autonomy semi-autonomous --no-test --yes && echo "ONBOARDED"
echo hello > /root/desk/note.txt
gantry agent -m "List the files here" | grep -q note.txt && echo "TURN"
gantry status | grep "sandbox  "
gantry service install --dry-run | grep ExecStart= && echo "UNIT"
INVOCATION_ID=1 gantry daemon > /root/.gantry/daemon.log 2>&1 &
for i in $(seq 200); do grep -q "Gantry is ready" /root/.gantry/daemon.log && break; sleep 0.1; done
exec 3<>/dev/tcp/127.0.0.1/3000 && printf 'GET /ready HTTP/1.1\\r\\nHost: 127.0.0.1:3000\\r\\nConnection: close\\r\\n\\r\\n' >&3 && head -1 <&3
code=$(gantry pair new | grep -oE '[0-9]{6}') && [ -n "$code" ] && echo "PAIRED BY A CODE"
kill %1; wait %1; echo "STOPPED $?"
`;

/** Returns the steps that did not come out as they should. */
function amiss(text: string): readonly string[] {
  const steps = ["ONBOARDED", "TURN", "UNIT", "HTTP/1.1 200 OK", "PAIRED BY A CODE", "STOPPED 0"];
  const wrong = steps.filter((step) => !text.includes(step));
  if (!/sandbox +walls of the kernel/.test(text)) wrong.push("no walls");
  if (/warn(?:ing)?\b/i.test(text)) wrong.push("a warning");
  return wrong.length > 0 ? [...wrong, text] : [];
}

beforeAll(() => {
  if (!runs) return;
  work = mkdtempSync(path.join(tmpdir(), "gantry-fresh-"));
  freshRoot();
  mkdirSync(layer("node/usr/local/bin"), { recursive: true });
  copyFileSync(
    path.join(root, `node_modules/node-linux-${process.arch}/bin/node`),
    layer("node/usr/local/bin/node"),
  );
  const npm = realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim());
  cpSync(path.join(path.dirname(npm), ".."), layer("node/usr/local/lib/node_modules/npm"), {
    recursive: true,
    dereference: true,
  });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", layer("node/usr/local/bin/npm"));
}, 600_000);

afterAll(() => {
  if (work) rmSync(work, { recursive: true, force: true });
});

test.runIf(runs)(
  "DIS-01: on a machine with nothing but Node the package is installed, serves, and leaves only its configuration behind",
  { timeout: 300_000 },
  () => {
    mkdirSync(layer("package/root"), { recursive: true });
    copyFileSync(packed(), layer("package/root/gantry.tgz"));
    using machine = new FreshMachine(layer("package"), layer("node"));
    const install = "npm install -g --ignore-scripts --omit=optional /root/gantry.tgz && echo INSTALLED";
    const remove = "npm uninstall -g gantry > /dev/null && rm -rf /root/.npm && echo REMOVED";
    const { text } = machine.bash(`${install}\n${firstHour}\n${remove}`);
    expect(text).toContain("INSTALLED");
    expect(text).toContain("REMOVED");
    expect(amiss(text)).toEqual([]);
    const left = machine.written().filter((file) => !/^\/root\/(?:\.gantry|desk)\//.test(file));
    expect(left).toEqual([]);
  },
);

test.runIf(runs)(
  "DIS-02: DIS-05: on an empty machine the installer puts the executable, which serves, and leaves only its configuration behind",
  { timeout: 600_000 },
  () => {
    execFileSync("npm", ["run", "--silent", "executable", process.arch], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    cpSync(path.join(root, "dist/executable"), layer("program/release"), { recursive: true });
    using machine = new FreshMachine(layer("program"));
    const install = "sh /release/install.sh /release && sh /release/install.sh /release && echo UPGRADED";
    const remove = "sh /release/install.sh --remove && echo REMOVED";
    const { text } = machine.bash(`${install}\n${firstHour}\n${remove}`);
    expect(text).toContain("UPGRADED");
    expect(text).toContain("REMOVED");
    expect(amiss(text)).toEqual([]);
    expect(machine.written().filter((file) => !/^\/root\/(?:\.gantry|desk)\//.test(file))).toEqual([]);
  },
);

/**
 * The steps of the container file after those that need a network, then the service as compose.yaml
 * runs it.
 */
function contained(): string {
  const file = readFileSync(path.join(root, "examples/container/Containerfile"), "utf8");
  const [, user = "false"] = /^RUN (useradd[^]*?[^\\])\n(?!.*\\$)/m.exec(file) ?? [];
  const [, probe = "[]"] = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(file) ?? [];
  const check = (JSON.parse(probe) as readonly string[])[2] ?? "false";
  const as =
    "setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all";
  return `
${user} && echo "USER MADE"
cp /config.toml /var/lib/gantry/config.toml && chown 10001:10001 /var/lib/gantry/config.toml && chmod 600 /var/lib/gantry/config.toml
mount -t tmpfs volume /mnt && cp -a /var/lib/gantry/. /mnt && chown 10001:10001 /mnt && chmod 700 /mnt && mount --move /mnt /var/lib/gantry
mount -o remount,ro / && ! touch /etc/x 2>/dev/null && echo "READ-ONLY"
export HOME=/var/lib/gantry SERVICE_CONFIG_DIR=/var/lib/gantry INVOCATION_ID=container GANTRY_API_KEY=sk-x
cd /var/lib/gantry
${as} gantry daemon > /tmp/log 2>&1 &
for i in $(seq 200); do grep -q "Gantry is ready" /tmp/log && break; sleep 0.1; done
${as} bash -c ${quoted(check)} && echo "HEALTHY"
${as} gantry pair new | grep -qE "[0-9]{6}" && echo "PAIRS"
${as} gantry tools call shell '{"command":"id -u"}' --yes 2>&1
${as} gantry status | grep -E "sandbox  "
kill %1; wait %1; echo "STOPPED $?"
${as} bash -c ${quoted(check)} 2>/dev/null || echo "NO LONGER HEALTHY"
cat /tmp/log`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

test.runIf(runs)(
  "DIS-03: the container file's steps give a service without rights on a read-only root, which its probe finds healthy",
  { timeout: 600_000 },
  () => {
    const arch = process.arch;
    execFileSync("npm", ["run", "--silent", "executable", arch], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    mkdirSync(layer("contained/usr/local/bin"), { recursive: true });
    copyFileSync(
      path.join(root, `dist/executable/gantry-linux-${arch}`),
      layer("contained/usr/local/bin/gantry"),
    );
    copyFileSync(path.join(root, "examples/container/config.toml"), layer("contained/config.toml"));
    using machine = new FreshMachine(layer("contained"));
    const { text } = machine.bash(contained());
    const steps = ["USER MADE", "READ-ONLY", "HEALTHY", "PAIRS", "10001", "STOPPED 0", "NO LONGER HEALTHY"];
    const wrong = steps.filter((step) => !text.includes(step));
    if (text.includes('"level":"error"')) wrong.push("an error in the log");
    expect(wrong.length > 0 ? [...wrong, text] : []).toEqual([]);
    expect(text).toMatch(/sandbox +walls of the kernel/);
  },
);

test.runIf(runs)(
  "DIS-01: on a machine with nothing but Node a clone with its packages serves",
  { timeout: 600_000 },
  () => {
    mkdirSync(layer("clone/clone"), { recursive: true });
    const archive = execFileSync("git", ["archive", "HEAD"], { cwd: root, maxBuffer: 1 << 30 });
    execFileSync("tar", ["-x", "-C", layer("clone/clone")], { input: archive });
    for (const folder of ["node_modules", "host/dist"])
      cpSync(path.join(root, folder), layer(`clone/clone/${folder}`), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (file) => !/node_modules\/\.cache\/(?!installed)|node-linux-(?!x64|arm64)/.test(file),
      });
    using machine = new FreshMachine(layer("clone"), layer("node"));
    const first = "npm start --silent --prefix /clone -- --version";
    const named = `printf '#!/bin/sh\nexec node /clone/host/dist/cli.js "$@"' > /usr/local/bin/gantry; chmod +x /usr/local/bin/gantry`;
    const { text } = machine.bash(`${first}\n${named}\n${firstHour}`);
    expect(amiss(text)).toEqual([]);
  },
);
