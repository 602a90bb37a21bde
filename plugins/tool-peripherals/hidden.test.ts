import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bin, environment, tempDir } from "../../test/helpers/cli.ts";

/** As systemd does for PrivateDevices=yes: a /dev with a few harmless devices. */
const OWN_DEV = `mount -t tmpfs none /mnt && for n in null zero urandom random; do touch /mnt/$n; mount --bind /dev/$n /mnt/$n; done
ln -s /proc/self/fd /mnt/fd; mkdir /mnt/shm /mnt/pts; mount --move /mnt /dev; exec "$@"`;
const run = promisify(execFile);
const namespaces = (...argv: readonly string[]) => ["-rm", "sh", "-c", OWN_DEV, "sh", ...argv];
const can = await run("unshare", namespaces("true")).then(
  () => true,
  () => false,
);

test.runIf(can)(
  `PE-01: a service whose /dev is its own says so with the lines for its unit${can ? "" : " (left out: no mount namespaces here)"}`,
  async () => {
    using place = tempDir('[peripherals.sensor]\nkind = "serial"\npath = "/dev/ttyUSB0"\n');
    const { dir } = place;
    const gantry = (...args: readonly string[]) =>
      run("unshare", namespaces(process.execPath, bin, ...args), { env: environment({ dir }) }).then(
        ({ stdout }) => stdout,
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      );
    const call = ["tools", "call", "serial_exchange", '{"peripheral":"sensor","text":"?"}', "--yes"];
    for (const said of [await gantry(...call), await gantry("doctor", "--json")])
      expect(said).toMatch(
        /a \/dev of its own.*systemctl edit gantry.*PrivateDevices=no.*DeviceAllow=\/dev\/ttyUSB0 rw/s,
      );
  },
);
