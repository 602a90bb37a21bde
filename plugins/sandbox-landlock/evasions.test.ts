import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { watchDisk } from "./confined/disk-watch.ts";
import { linux, startSandbox, until } from "./sandbox.test-kit.ts";

for (const namespaces of [true, false]) {
  const where = namespaces ? "in namespaces" : "where namespaces are refused";

  test.runIf(linux)(
    `SEC-13: a blocked command runs neither through the loader nor from a copy, ${where}`,
    async () => {
      await using kit = await startSandbox({ namespaces, blocked: ["wc"] });
      writeFileSync(path.join(kit.workspace, "data"), "one\n");
      const loaders = "ls -d /lib64/ld-*.so* /lib/ld-*.so* /usr/lib/ld-*.so* 2>/dev/null";
      const started = await kit.run(
        `for l in $(${loaders}); do $l /usr/bin/sort data; $l /usr/bin/wc data; $l /bin/wc data; done`,
      );
      expect(new Set(started.stdout.trim().split("\n"))).toEqual(new Set(["one"]));
      const copies = [
        "cp $wc q",
        "cat $wc > q",
        "ln $wc q",
        "dd if=$wc of=q",
        "perl -pe1 $wc > q",
        "tar cf q $wc",
      ];
      for (const copy of copies) {
        const made = await kit.run(
          `wc=/usr/bin/wc; ${copy}; test -s q && echo copied; chmod +x q; ./q data; rm -f q`,
        );
        expect([copy, made.stdout.replace("copied\n", copy.startsWith("tar") ? "" : "copied\n")]).toEqual([
          copy,
          "",
        ]);
      }
      const near = await kit.run("cp /usr/bin/sort q && ./q data && ls /usr/bin | grep -cx -e sort -e wc");
      expect(near.stdout).toBe("one\n2\n");
    },
  );

  test.runIf(linux)(
    `SBX-09: files without a name count as written, ${where}`,
    { timeout: 300_000 },
    async () => {
      await using kit = await startSandbox({ namespaces, bounds: { max_file_mb: 64, max_disk_mb: 128 } });
      const stopped = [`stopped: the disk of ${kit.workspace} lost more than 128 MiB (runtime.max_disk_mb)`];
      const write = `sub w { open my $f, ">", "f" or die; unlink "f"; push @all, $f; $f->autoflush; print $f "a" x 1e6 for 1..60; }`;
      const script = `use IO::Handle; ${write} for (1..5) { if (fork == 0) { w; sleep 20; exit } select undef, undef, undef, 0.2 } sleep 20; print "survived"`;
      const { stdout, findings } = await kit.run(`perl -e '${script}'`, { timeoutMs: 25_000 });
      expect([stdout, findings]).toEqual(["", stopped]);
      expect((await kit.run("echo next")).stdout).toBe("next\n");
    },
  );

  test.runIf(linux)(
    `SBX-09: a path beyond the longest breaks nothing, and is not there for the next run, ${where}`,
    async () => {
      await using kit = await startSandbox({ namespaces });
      const deep = `chdir $ENV{TMPDIR}; for (1..30) { mkdir "d" x 200; chdir "d" x 200 or die } print "deep"`;
      expect((await kit.run(`perl -e '${deep}'; cd $TMPDIR; mkdir -m 0 closed`)).stdout).toBe("deep");
      expect((await kit.run("ls -A $TMPDIR | grep -v gantry-; echo next")).stdout).toBe("next\n");
    },
  );
}

test.runIf(linux)(
  "SBX-07: where namespaces are refused, no run reaches the temporary files of another, and they go with it",
  async () => expect(existsSync(await twoRuns())).toBe(false),
);

/** Returns the folder that the first of them had. */
async function twoRuns(): Promise<string> {
  await using kit = await startSandbox({ namespaces: false });
  const said = path.join(kit.workspace, "said");
  const long = kit.run(
    "umask 0; echo canary > $TMPDIR/mine; chmod 666 $TMPDIR/mine; stat -c %a $TMPDIR; echo $TMPDIR > said.1; mv said.1 said; until [ -e go ]; do sleep 0.05; done; cat $TMPDIR/mine",
  );
  await until(() => existsSync(said));
  const other = await kit.run(
    "t=$(cat said); [ $t != $TMPDIR ] && echo apart; cat $t/mine; ls $t; ls $t/..; echo evil > $t/mine; touch $t/new; mv $t/mine .; touch go",
  );
  expect(other.stdout).toBe("apart\n");
  expect((await long).stdout).toBe("700\ncanary\n");
  expect((await kit.run("ls -A $TMPDIR; ls -A")).stdout).toBe("go\nsaid\n");
  return readFileSync(said, "utf8").trim();
}

test.runIf(linux)(
  "SBX-09: a disk that does not say how full it is ends the run with that reason",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "gantry-disk-"));
    const reason = Promise.withResolvers<string>();
    const end = watchDisk([folder], 1_000_000, reason.resolve);
    rmSync(folder, { recursive: true });
    expect(await reason.promise).toBe("how much it wrote cannot be told (ENOENT)");
    end();
  },
);
