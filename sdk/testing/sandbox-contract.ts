import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { FileSearch } from "../tools/sandbox.ts";
import { openedBy, signal, type SandboxSubject } from "./opened-sandbox.ts";
import { cases } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";

const coded = (code: string, work: Promise<unknown>): Promise<void> => assert.rejects(work, { code });

/**
 * Returns the duties of every filler of the slot Sandbox. Register each case with any test runner:
 * `test(name, run)`.
 */
export function sandboxContract(subject: SandboxSubject): readonly ContractCase[] {
  const opened = openedBy(subject);
  return cases({
    "SDK-05: it says in words what is in force": opened(async ({ sandbox }) => {
      const { files, network, detail } = await sandbox.policy();
      assert.deepEqual([typeof files, typeof network], ["boolean", "boolean"]);
      assert.notEqual(detail, "");
    }),
    "SDK-05: a program's output, complaint and end come back, and no shell stands before it": opened(
      async ({ run }) => {
        const ended = await run("echo out; echo complaint >&2; exit 7");
        assert.deepEqual(
          [ended.exitCode, ended.signal, ended.stdout, ended.stderr, ended.droppedBytes, ended.timedOut],
          [7, null, "out\n", "complaint\n", 0, false],
        );
        const plain = await run("", { argv: ["/bin/echo", "$HOME;", "`id`"] });
        assert.equal(plain.stdout, "$HOME; `id`\n");
      },
    ),
    "SDK-05: what a program says beyond its bound is counted and dropped": opened(async ({ run }) => {
      const { stdout, droppedBytes } = await run("head -c 5000 /dev/zero | tr '\\0' x", {
        maxOutputBytes: 1_000,
      });
      assert.deepEqual([stdout.length, droppedBytes], [1_000, 4_000]);
    }),
    "SDK-05: a program ends by its time and by its signal": opened(async ({ run }) => {
      assert.equal((await run("sleep 3600", { timeoutMs: 300 })).timedOut, true);
      const stop = new AbortController();
      const running = run("sleep 3600", { signal: stop.signal });
      setTimeout(() => stop.abort(), 100);
      const ended = await running.catch((error: { code?: string }) => error);
      assert.ok("code" in ended || (ended as { exitCode: unknown }).exitCode !== 0);
    }),
    "SDK-05: a program sees nothing of this process's environment, and what it is handed": opened(
      async ({ run }) => {
        process.env["GANTRY_CONTRACT_KEY"] = "s3cret";
        try {
          const { stdout } = await run("env", { env: { HANDED: "over" } });
          assert.ok(!stdout.includes("s3cret") && stdout.includes("HANDED=over"));
        } finally {
          delete process.env["GANTRY_CONTRACT_KEY"];
        }
      },
    ),
    "SDK-05: a program writes in the workspace, and where files are walled nowhere else": opened(
      async ({ sandbox, run, at, outside }) => {
        await run(`echo here > mine; echo gone > '${outside}/file'; echo new > '${outside}/new'`);
        assert.equal(await readFile(at("mine"), "utf8"), "here\n");
        if (!(await sandbox.policy()).files) return;
        assert.equal(await readFile(path.join(outside, "file"), "utf8"), "canary");
        await assert.rejects(readFile(path.join(outside, "new")), { code: "ENOENT" });
      },
    ),
    "SDK-05: files are written with their folders, read up to a bound, listed and removed": opened(
      async ({ sandbox: { files }, at }) => {
        const file = at("deep/er/file");
        assert.equal((await files.write(file, "hällo", signal)).existed, false);
        const all = await files.read(file, 100, signal);
        assert.deepEqual([new TextDecoder().decode(all.data), all.bytes], ["hällo", 6]);
        assert.equal((await files.read(file, 2, signal)).data.length, 2);
        const again = await files.write(file, "second", signal, { keepBytes: 100 });
        assert.deepEqual([again.existed, new TextDecoder().decode(again.before)], [true, "hällo"]);
        await files.write(at("deep/er/other"), new Uint8Array([0, 255]), signal);
        const one = await files.list(at("deep/er"), 1, signal);
        assert.deepEqual([one.entries.length, one.more], [1, true]);
        const { entries } = await files.list(at("deep"), 9, signal);
        assert.deepEqual(
          entries.map(({ name, kind }) => [name, kind]),
          [["er", "directory"]],
        );
        await files.write(file, null, signal);
        await assert.rejects(readFile(file), { code: "ENOENT" });
      },
    ),
    "SDK-05: a file that is another than expected stays as it is": opened(
      async ({ sandbox: { files }, at }) => {
        await files.write(at("file"), "first", signal, { expected: null });
        await coded("FILE_CHANGED", files.write(at("file"), "second", signal, { expected: null }));
        await coded("FILE_CHANGED", files.write(at("file"), "third", signal, { expected: "0".repeat(64) }));
        assert.equal(await readFile(at("file"), "utf8"), "first");
      },
    ),
    "SDK-05: where files are walled nothing outside is written, also not through a link": opened(
      async ({ sandbox, at, outside }) => {
        if (!(await sandbox.policy()).files) return;
        await symlink(outside, at("link"));
        for (const file of [path.join(outside, "file"), at("link/file"), at("../beside")])
          await coded("PATH_OUTSIDE", sandbox.files.write(file, "gone", signal));
        assert.equal(await readFile(path.join(outside, "file"), "utf8"), "canary");
      },
    ),
    "SDK-17: where files are walled, a turn in a folder of the workspace reads and writes nothing else of it":
      opened(async ({ sandbox, at, run, within }) => {
        if (!within || !(await sandbox.policy()).files) return;
        for (const name of ["mine", "other"]) await sandbox.files.write(at(`${name}/file`), name, signal);
        await symlink("../other", at("mine/link"));
        await within(at("mine"), async () => {
          const { files } = sandbox;
          for (const file of [at("other/file"), at("mine/link/file")]) {
            await coded("PATH_OUTSIDE", files.read(file, 100, signal));
            await coded("PATH_OUTSIDE", files.write(file, "gone", signal));
            const search = { files: [file], pattern: "other", limit: 9, maxFileBytes: 100 };
            assert.deepEqual(await files.search(search, signal), { found: [], searched: 0 });
          }
          await coded("PATH_OUTSIDE", files.list(at("other"), 9, signal));
          const script = "cat file ../other/file link/file; echo gone > ../other/file; echo new > new";
          assert.equal((await run(script, { cwd: at("mine") })).stdout, "mine");
        });
        assert.equal(await readFile(at("other/file"), "utf8"), "other");
        assert.equal(await readFile(at("mine/new"), "utf8"), "new\n");
        assert.equal((await run("cat mine/file other/file")).stdout, "mineother");
      }),
    "SDK-05: lines of files are found by text or expression, with those around them, up to a bound": opened(
      async ({ sandbox: { files }, at }) => {
        await writeFile(at("a"), "one\ntwo (2)\r\nthree\nTWO (4)");
        await writeFile(at("binary"), new Uint8Array([116, 119, 111, 0]));
        await writeFile(at("large"), "two".repeat(100));
        const wanted = {
          files: [at("a"), at("binary"), at("large"), at("none")],
          limit: 9,
          maxFileBytes: 100,
        };
        const found = async (more: Partial<FileSearch>): Promise<readonly string[]> => {
          const result = await files.search({ ...wanted, pattern: "two", ...more }, signal);
          assert.equal(result?.searched, 1);
          const lines = result.found.flatMap((one) => [...one.lines, ...(one.more ? ["more"] : [])]);
          return lines.map((one) =>
            typeof one === "string" ? one : `${one.line}${one.holds ? ":" : "-"}${one.text}`,
          );
        };
        assert.deepEqual(await found({ ignoreCase: true }), ["2:two (2)", "4:TWO (4)"]);
        assert.deepEqual(await found({ ignoreCase: true, limit: 1 }), ["2:two (2)", "more"]);
        assert.deepEqual(await found({ pattern: "(2)", literal: true }), ["2:two (2)"]);
        assert.deepEqual(await found({ pattern: "^t\\w+ \\(", context: 1 }), [
          "1-one",
          "2:two (2)",
          "3-three",
        ]);
        assert.deepEqual(await found({ pattern: "nowhere" }), []);
        await coded("SEARCH_BAD_PATTERN", files.search({ ...wanted, pattern: "(" }, signal));
      },
    ),
    "SDK-05: where files are walled nothing outside is searched, also not through a link": opened(
      async ({ sandbox, at, outside }) => {
        if (!(await sandbox.policy()).files) return;
        await symlink(outside, at("link"));
        const files = [path.join(outside, "file"), at("link/file")];
        const search = { files, pattern: "canary", limit: 9, maxFileBytes: 100 };
        assert.deepEqual(await sandbox.files.search(search, signal), { found: [], searched: 0 });
      },
    ),
    "SDK-05: a search ends with its signal": opened(async ({ sandbox: { files }, at }) => {
      const search = { files: [at("file")], pattern: "x", limit: 9, maxFileBytes: 100 };
      await assert.rejects(files.search(search, AbortSignal.abort(new Error("enough"))), /enough/);
    }),
    "SDK-05: an opened process is talked to until it ends, or cannot be opened where nothing walls it off":
      opened(async ({ sandbox, start }) => {
        if (!(await sandbox.policy()).files) {
          await assert.rejects(start("true"), ({ code }: { code?: string }) => code !== undefined);
          return;
        }
        const process = await start("read a; echo got $a; exit 3");
        process.stdin.end("it\n");
        assert.equal(await text(process.stdout), "got it\n");
        const { exitCode, reason } = await process.ended;
        assert.deepEqual([exitCode, reason], [3, "exited"]);
      }),
    "SDK-05: a process that confines itself opens and starts nothing any more": opened(
      async ({ sandbox: { confining }, outside }) => {
        if (confining === undefined) return;
        const script = `
          import { readFileSync, writeSync } from "node:fs";
          import { spawnSync } from "node:child_process";
          const [, confining, file] = process.argv;
          const end = (await import(confining)).confine();
          const tried = (work) => {
            try { return String(work()); } catch (error) { return error.code; }
          };
          const opened = tried(() => readFileSync(file));
          const started = tried(() => spawnSync("/bin/true").error?.code);
          writeSync(1, end ? [opened, started].join(" ") : "no walls");
          (end ?? process.exit)(7);`;
        const flags = confining.endsWith(".ts") ? ["--conditions=gantry-source"] : [];
        const words = [confining, path.join(outside, "file")];
        const argv = [...flags, "--input-type=module", "-e", script, ...words];
        const node = spawn(process.execPath, argv, { env: {}, cwd: "/" });
        const ended = once(node, "close");
        assert.match(await text(node.stdout), /^(?:EPERM EPERM|no walls)$/);
        assert.deepEqual(await ended, [7, null]);
      },
    ),
    "SDK-05: an opened process ends with its owner, by close() or by its signal": opened(
      async ({ sandbox, start }) => {
        if (!(await sandbox.policy()).files) return;
        assert.equal((await (await start("sleep 3600")).close()).reason, "closed");
        const stop = new AbortController();
        const process = await start("sleep 3600", { signal: stop.signal });
        stop.abort();
        assert.equal((await process.ended).reason, "closed");
      },
    ),
  });
}
