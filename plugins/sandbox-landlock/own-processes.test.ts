import { expect, test } from "vitest";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

/** Numbers of all that is listed and runs elsewhere. */
const OTHERS =
  "for p in /proc/[0-9]*; do [ -e $p ] && [ ! $p/ns/pid -ef /proc/self/ns/pid ] && echo $p; done";
const CLOSED = ["sys", "kallsyms", "interrupts", "bus", "1"].map((name) => `/proc/${name}`).join(" ");

test.runIf(linux)("SBX-06: a run reads of itself in /proc, and there of nothing else", async () => {
  await using kit = await startSandbox();
  const own = await kit.run("wc -w < /proc/self/statm; grep ^Name: /proc/self/status; head -c 4 /proc/stat");
  expect(own.stdout).toBe("7\nName:\tgrep\ncpu ");
  const more = await kit.run(
    `${OTHERS}; cat ${CLOSED}; ls /proc/sys /proc/bus; tail -qn +2 /proc/net/{tcp,unix,route}`,
  );
  expect(more.stdout.replaceAll(/\/proc\/(sys|bus):\n/g, "").trim()).toBe("");
  const written = await kit.run("echo 9 > /proc/self/oom_score_adj; echo x > /proc/self/comm; echo end");
  expect([written.stdout, written.stderr.match(/Permission denied/g)]).toEqual([
    "end\n",
    ["Permission denied", "Permission denied"],
  ]);
});

test.runIf(linux)("SBX-06: without namespaces /proc is closed but for processor and memory", async () => {
  await using kit = await startSandbox({ namespaces: false });
  const { stdout } = await kit.run("cat /proc/self/status /proc/stat /proc/net/tcp; head -c 7 /proc/meminfo");
  expect(stdout).toBe("MemTotal".slice(0, 7));
});
