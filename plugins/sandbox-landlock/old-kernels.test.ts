import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { PWNED, attacks } from "./attacks.test-kit.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

/** Signals got a scope at 6, truncation a right at 3, moving between directories one at 2. */
const levels = process.env["GANTRY_LONG"] ? [1, 2, 3, 4, 5] : [1, 5];

for (const level of levels) {
  test.runIf(linux)(
    `SBX-01: what Landlock level ${level} leaves open is closed by other means`,
    { timeout: 300_000 },
    async () => {
      const outside = mkdtempSync(path.join(tmpdir(), "gantry-beside-"));
      const secret = path.join(outside, "secret");
      writeFileSync(secret, "echo canary\n");
      const before = statSync(secret);
      try {
        await using kit = await startSandbox({ abiCap: level });
        expect(kit.confinement.layers!.abi).toBe(level);
        const prey = { outside, port: 9, host: process.pid, abstract: "nobody" };
        for (const [name, command] of attacks(prey).filter(([one]) => /^(write|signal): /.test(one))) {
          const { stdout, stderr } = await kit.run(command);
          expect(`${name}: ${stdout}${stderr}`).not.toContain(PWNED);
        }
        const more = [
          `perl -e 'use Fcntl; sysopen(F, "${secret}", O_RDONLY | O_TRUNC)'`,
          `perl -e 'use Fcntl; pipe(R, W); fcntl(R, F_SETOWN, ${process.pid}) and print "owned"'`,
          `perl -e 'use Fcntl; pipe(R, W); fcntl(R, 15, pack("ii", 1, ${process.pid})) and print "owned"'`,
        ];
        for (const command of more) {
          expect((await kit.run(command)).stdout).not.toContain("owned");
        }
        expect([existsSync(secret), readFileSync(secret, "utf8"), statSync(secret).mtimeMs]).toEqual([
          true,
          "echo canary\n",
          before.mtimeMs,
        ]);
        const fine =
          "sleep 30 & kill $!; wait $!; echo $?; (exec sh -c 'kill -TERM $$'); echo $?; echo a > b; mkdir c; mv b c; : > c/b; cat c/b; echo fine";
        expect((await kit.run(fine)).stdout).toBe("143\n143\nfine\n");
      } finally {
        rmSync(outside, { recursive: true });
      }
    },
  );
}
